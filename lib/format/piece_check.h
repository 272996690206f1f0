/* piece_check.h - Checks the rules of values in pieces: the boxes must cover
 * each element exactly once.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PIECE_CHECK_H
#define VV_PIECE_CHECK_H

#include "index_check.h"

/* Returns true if a value is the next one in pieces after those of the
 * table. */
static inline bool vv_is_next_in_pieces(const struct vv_index *index,
    const struct vv_piece_table *table, uint32_t value)
{
    return table->count < index->pieced_count &&
           vv_at32(index->pieced_values, table->count) == value;
}

/* Checks the pieces of that value, whose other columns were checked. The table
 * has room for it and contains the values before it. */
varve_status vv_check_pieces(const struct vv_index_check *check, uint32_t value,
    const varve_tensor *type, const struct vv_piece_table *table);

/* Checks, after all values, that no value in pieces is left over. */
varve_status vv_check_all_pieces(
    const struct vv_index_check *check, const struct vv_piece_table *table);

/* Some boxes of a tensor, as stored in the column of boxes. */
struct vv_cover {
    /* to fill in */
    const struct vv_index *index;
    const varve_tensor *type;
    uint64_t at;    /* index of their first number in the column */
    uint32_t count; /* number of boxes; none exceeds the tensor */
};

/* Returns true if the boxes cover each element once. For boxes that were not
 * constructed for this seed, the result is wrong with a probability of at most
 * 16 / 2^61. The time is proportional to the number of boxes. */
bool vv_cover_is_exact(const struct vv_cover *cover, uint64_t seed);

/* The first element that is not in exactly one box, the number of boxes that
 * contain it, and the first two of them. vv_cover_find_fault returns false if
 * there is none, or if the search would take too long. */
struct vv_cover_fault {
    /* to read */
    uint64_t element[VARVE_MAX_RANK];
    uint32_t times;
    uint32_t boxes[2];
};
bool vv_cover_find_fault(
    const struct vv_cover *cover, struct vv_cover_fault *fault);

#endif
