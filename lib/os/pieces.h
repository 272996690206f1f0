/* pieces.h - Copies many blocks of memory on all processors.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PIECES_H
#define VV_PIECES_H

#include <stddef.h>
#include <stdint.h>

#include "context.h"

struct vv_dirty;

/* A block to copy. The blocks are numbered consecutively by bytes and shared
 * out by these numbers. So one large block keeps all processors busy. */
struct vv_piece {
    /* to fill in */
    void *to; /* NULL: skipped */
    const void *from;
    size_t at; /* number of its first byte */
    size_t size;
    /* NULL, or one of `to` and `from` with dirty tracking: only bytes that were
     * written since are copied; the others are equal already */
    const void *tracked;
};

struct vv_pieces {
    /* to fill in */
    size_t count;
    size_t size; /* number of bytes of all blocks */
    /* Returns block number i. Blocks that are not skipped must be ordered by
     * `at`. Called by all threads. */
    struct vv_piece (*piece)(const void *user, size_t i);
    const void *user;
    const struct vv_dirty *dirty; /* tracker of the tracked blocks */
    uint64_t since; /* the look after which written bytes are copied */
};

/* Copies all blocks, with non-temporal stores for large amounts. Cannot fail
 * and allocates nothing. */
void vv_copy_pieces(
    const struct vv_context *context, const struct vv_pieces *pieces);

#endif
