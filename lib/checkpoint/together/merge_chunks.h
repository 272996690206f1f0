/* merge_chunks.h - at rank 0: the chunks of all ranks, where each goes its own
 * way into layers, as packed or because an older checkpoint has it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_MERGE_CHUNKS_H
#define VV_MERGE_CHUNKS_H

#include "merge.h"

/* Takes what all have told of theirs; all are new. VARVE_NO_MEMORY. */
varve_status vv_merge_chunks_begin(struct vv_merge *merge, varve_error *error);
void vv_merge_chunks_end(struct vv_merge *merge);

/* --- In the order of the data --------------------------------------------- */

struct vv_placed_chunk {
    /* to read */
    uint64_t place; /* in the data */
    uint32_t owner;
    size_t number; /* among those of all */
    struct vv_share_chunk told;
    struct vv_where *where;
};

struct vv_chunk_walk {
    /* to fill in */
    struct vv_merge *merge;
    /* own */
    size_t placed; /* the range that it is in */
    size_t next;   /* the chunk of its owner; those of a range are one behind
                      the other */
    bool is_inside;
};

bool vv_chunk_walk_next(
    struct vv_chunk_walk *walk, struct vv_placed_chunk *chunk);

/* --- Told ----------------------------------------------------------------- */

/* Which chunks a rank has to write: a bit for each. Appends those of all; where
 * those of a rank begin is the offset of its region then. Finds which files are
 * needed. */
void vv_merge_order_chunks(struct vv_merge *merge, struct vv_buffer *bits);

static inline bool vv_is_ordered(const uint8_t *bits, size_t chunk)
{
    return bits[chunk / 8] >> chunk % 8 & 1;
}

/* What is told of a chunk once it is written: where, and its packed size. */
enum { VV_INDEX_BROADCAST_WHERE_SIZE = 8 + 4 };

/* Takes that of all ranks, and finds where their files end. */
void vv_merge_take_written(
    struct vv_merge *merge, const struct vv_gathered *written);

#endif
