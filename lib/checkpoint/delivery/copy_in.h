/* copy_in.h - Copies staged values into strided or device memory, all of them
 * or none.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_ELSEWHERE_H
#define VV_ELSEWHERE_H

#include "move.h"

struct vv_copy_in {
    /* to fill in */
    struct vv_move *moves;
    size_t count;
    bool is_last; /* it is never undone */
};

/* Copies in the staged values of all moves into strided or device memory. The
 * staging then contains the previous values, unless `is_last`. If a copy fails,
 * all previous values are restored. */
varve_status vv_copy_in_put(const struct vv_copy_in *elsewhere,
    const varve_allocator *allocator, varve_error *error);

/* Restores the previous values. A value whose copy fails is marked as touched.
 */
void vv_copy_in_put_back(struct vv_move *moves, size_t count);

#endif
