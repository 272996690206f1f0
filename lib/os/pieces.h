/* pieces.h - many pieces of memory copied on all processors.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PIECES_H
#define VV_PIECES_H

#include <stddef.h>
#include <stdint.h>

#include "context.h"

struct vv_dirty;

/* One to copy. Pieces lie one after the other on a line of their own, by which
 * they are shared out: so one large piece keeps all processors busy. */
struct vv_piece {
    /* to fill in */
    void *to; /* NULL: passed over */
    const void *from;
    size_t at; /* where it begins on that line */
    size_t size;
    const void *tracked; /* NULL; or `to` or `from`: elsewhere they are alike
                            but where it was written */
};

struct vv_pieces {
    /* to fill in */
    size_t count;
    size_t size; /* where the last one ends */
    /* Piece number i; those that are not passed over in order of `at`. Called
     * by all threads. */
    struct vv_piece (*piece)(const void *user, size_t i);
    const void *user;
    const struct vv_dirty *dirty; /* what tells it of those that are tracked, */
    uint64_t since;               /* and the moment since when */
};

/* Copies them all, past the caches where that pays. Cannot fail, allocates
 * nothing. */
void vv_copy_pieces(
    const struct vv_context *context, const struct vv_pieces *pieces);

#endif
