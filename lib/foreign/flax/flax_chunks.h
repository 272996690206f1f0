/* flax_chunks.h - Reads an array that was too large for one msgpack item: a map
 * with a marker, the shape, and flat chunks by position.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_FLAX_CHUNKS_H
#define VV_FLAX_CHUNKS_H

#include "flax_array.h"

struct vv_flax_chunks {
    /* to read */
    struct vv_flax_array array;    /* the whole array, which is not contiguous
                                      in the file */
    struct vv_msgpack_item pieces; /* the map of chunks */
    uint64_t first;                /* offset of its first pair */
};

/* Sets *are_next to true if a map, whose pairs follow, is a chunked array; then
 * moves past the marker. */
varve_status vv_flax_chunks_are_next(
    struct vv_msgpack *in, const struct vv_msgpack_item *map, bool *are_next);

/* Reads the rest of such a map and moves past it. Returns VARVE_CORRUPT if
 * its chunks do not add up to the array. */
varve_status vv_flax_chunks_read(struct vv_msgpack *in,
    const struct vv_msgpack_item *map, struct vv_flax_chunks *chunks);

/* Reads the next chunk, which must be the one with this number. Start at
 * `first`. */
varve_status vv_flax_chunks_next(
    struct vv_msgpack *in, uint64_t number, struct vv_flax_array *piece);

#endif
