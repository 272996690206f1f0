/* flax_chunks.h - an array that was too large for one item of msgpack: a map
 * that says so first, and has its shape and its pieces, flat, by position.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_FLAX_CHUNKS_H
#define VV_FLAX_CHUNKS_H

#include "flax_array.h"

struct vv_flax_chunks {
    /* to read */
    struct vv_flax_array array;    /* the whole; it lies nowhere as one */
    struct vv_msgpack_item pieces; /* the map of them */
    uint64_t first;                /* its first pair */
};

/* Whether a map, whose pairs are next, says that it is such: then they are
 * next that follow. */
varve_status vv_flax_chunks_are_next(
    struct vv_msgpack *in, const struct vv_msgpack_item *map, bool *are_next);

/* Reads the rest of such a map and goes on behind it. VARVE_CORRUPT where its
 * pieces do not make the whole. */
varve_status vv_flax_chunks_read(struct vv_msgpack *in,
    const struct vv_msgpack_item *map, struct vv_flax_chunks *chunks);

/* Goes from the first piece on through all, of which each is called next. */
varve_status vv_flax_chunks_next(
    struct vv_msgpack *in, uint64_t number, struct vv_flax_array *piece);

#endif
