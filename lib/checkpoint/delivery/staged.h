/* staged.h - Moves staged values into the memory of their variables, and back.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_STAGED_H
#define VV_STAGED_H

#include "move.h"

/* --- Memory that is written directly -------------------------------------- */

/* Exchanges staged values with the memory of their variables, on all
 * processors. */

struct vv_exchange {
    /* to fill in */
    const struct vv_context *context;
    const struct vv_move *moves;
    size_t count;
    size_t size;      /* bytes of the staged values */
    unsigned threads; /* option `threads` */
    bool is_last;     /* the previous bytes are not needed; the contents of
                         the staging are undefined afterwards */
    bool is_undone;   /* in reverse order */
};

/* Exchanges the bytes of all staged moves with those of their variables, which
 * may share memory. Cannot fail. */
void vv_exchange(const struct vv_exchange *exchange);

/* --- Strided and device memory -------------------------------------------- */

/* Copies staged values into strided or device memory, all of them or none. */

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
