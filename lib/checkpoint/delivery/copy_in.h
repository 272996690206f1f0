/* copy_in.h - staged values into memory that has to be copied in, all of them
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
    bool is_last; /* it is not put back */
};

/* Copies in what is staged of the moves that lie elsewhere; the staging has
 * what was there before then, unless it is never put back. A copy that fails
 * puts all of it back. */
varve_status vv_copy_in_put(const struct vv_copy_in *elsewhere,
    const varve_allocator *allocator, varve_error *error);

/* Puts what was there before back. What a copy fails for is touched. */
void vv_copy_in_put_back(struct vv_move *moves, size_t count);

#endif
