/* merge_chunks.h - Keeps the chunks of all ranks on rank 0, for saves in which
 * chunks are compressed or already in the base.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_MERGE_CHUNKS_H
#define VV_MERGE_CHUNKS_H

#include "merge.h"

/* Takes the chunks of the contributions. All are marked as new. May return
 * VARVE_NO_MEMORY. */
varve_status vv_merge_chunks_begin(struct vv_merge *merge, varve_error *error);
void vv_merge_chunks_end(struct vv_merge *merge);

/* --- In the order of the data --------------------------------------------- */

struct vv_placed_chunk {
    /* to read */
    uint64_t place; /* offset in the data */
    uint32_t owner;
    size_t number;                 /* among the chunks of all ranks */
    struct vv_share_chunk message; /* as sent by its owner */
    struct vv_where *where;
};

struct vv_chunk_walk {
    /* to fill in */
    struct vv_merge *merge;
    /* own */
    size_t placed; /* index of the current range */
    size_t next;   /* the next chunk of its owner; the chunks of a range are
                      consecutive */
    bool is_inside;
};

bool vv_chunk_walk_next(
    struct vv_chunk_walk *walk, struct vv_placed_chunk *chunk);

/* --- Messages ------------------------------------------------------------- */

/* Appends a bit for each chunk of each rank that is set if the rank must write
 * it. Sets the offset of each region to the position of its bits. Marks the
 * files that are needed. */
void vv_merge_order_chunks(struct vv_merge *merge, struct vv_buffer *bits);

static inline bool vv_is_ordered(const uint8_t *bits, size_t chunk)
{
    return bits[chunk / 8] >> chunk % 8 & 1;
}

/* The message about a chunk that was written: its offset and compressed
 * size. */
enum { VV_LOCATION_MESSAGE_SIZE = 8 + 4 };

/* Takes these messages of all ranks, and computes the ends of their files. */
void vv_merge_take_written(
    struct vv_merge *merge, const struct vv_gathered *written);

#endif
