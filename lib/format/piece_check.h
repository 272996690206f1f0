/* piece_check.h - the rules of values in pieces: boxes that together cover each
 * element once.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PIECE_CHECK_H
#define VV_PIECE_CHECK_H

#include "index_check.h"

/* Whether a value is the next in pieces, after those that a table has. */
static inline bool vv_is_next_in_pieces(const struct vv_index *index,
    const struct vv_piece_table *table, uint32_t value)
{
    return table->count < index->pieced_count &&
           vv_at32(index->pieced_values, table->count) == value;
}

/* Checks the pieces of that, whose other columns were checked. The table has
 * room for all and those before. */
varve_status vv_check_pieces(const struct vv_index_check *check, uint32_t value,
    const varve_tensor *type, const struct vv_piece_table *table);

/* Whether they were all, once the values have been gone through. */
varve_status vv_check_all_pieces(
    const struct vv_index_check *check, const struct vv_piece_table *table);

/* Some boxes of a tensor, as the column of boxes has them. */
struct vv_cover {
    /* to fill in */
    const struct vv_index *index;
    const varve_tensor *type;
    uint64_t at;    /* their first number in the column */
    uint32_t count; /* of boxes, which leave the tensor nowhere */
};

/* Whether they have each element once. Of boxes that were not made for this
 * seed it is wrong with a probability of 16 / 2^61 at most. Takes time in
 * proportion to the boxes, whatever they cover. */
bool vv_cover_is_exact(const struct vv_cover *cover, uint64_t seed);

/* Looks for the first element that is not in one of them, but in how many, and
 * the first two that have it. False where that would take too long. */
struct vv_cover_fault {
    /* to read */
    uint64_t element[VARVE_MAX_RANK];
    uint32_t times;
    uint32_t boxes[2];
};
bool vv_cover_find_fault(
    const struct vv_cover *cover, struct vv_cover_fault *fault);

#endif
