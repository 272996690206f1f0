/* share_chunks.h - Iterates over the chunks of a share, and sends them to rank
 * 0.
 *
 * They are used in saves that compress chunks or leave some out. Rank 0 decides
 * which chunks must be written and where.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SHARE_CHUNKS_H
#define VV_SHARE_CHUNKS_H

#include "share.h"

struct vv_share_chunk {
    /* to read */
    const struct vv_part *part; /* the part it belongs to; NULL in a message */
    uint64_t begin;             /* in the part */
    uint64_t offset;            /* in the region */
    uint32_t size;
    unsigned planes; /* for compression */
    const uint8_t *digest;
};

/* An iterator over the chunks in the order of the region. */
struct vv_share_walk {
    /* own */
    const struct vv_part *part;
    const struct vv_part *end;
    uint64_t at; /* in the part */
    const struct vv_save_plan *save_plan;
    uint32_t value;
    const uint8_t *digests; /* digests of the current value */
};

struct vv_share_walk vv_share_begin(const struct vv_share *share);
bool vv_share_next(struct vv_share_walk *walk, struct vv_share_chunk *chunk);

/* Returns true if chunks of a save are compressed or left out individually.
 * Otherwise each region is written as a whole. */
static inline bool vv_writes_by_chunks(const struct vv_save_plan *save_plan)
{
    return save_plan->options.incremental || save_plan->options.compress;
}

/* --- Messages ------------------------------------------------------------- */

enum { VV_CHUNK_MESSAGE_SIZE = 8 + 4 + 4 + VV_DIGEST_SIZE };

void vv_share_chunks_encode(
    struct vv_buffer *bytes, const struct vv_share *share);

struct vv_share_chunk vv_share_chunk_of_message(
    const uint8_t *message, size_t number);

#endif
