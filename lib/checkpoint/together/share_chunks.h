/* share_chunks.h - the chunks of a share, one after another: what a process
 * packs or leaves out, and what it tells of them, so that rank 0 knows where
 * each comes to lie and whether an older checkpoint has it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SHARE_CHUNKS_H
#define VV_SHARE_CHUNKS_H

#include "share.h"

struct vv_share_chunk {
    /* to read */
    const struct vv_part *part; /* that it is of; NULL where it was told */
    uint64_t begin;             /* in the part */
    uint64_t offset;            /* in the region */
    uint32_t size;
    unsigned planes; /* to pack it by */
    const uint8_t *digest;
};

/* Goes through them in the order of the region. */
struct vv_share_walk {
    /* own */
    const struct vv_part *part;
    const struct vv_part *end;
    uint64_t at; /* in the part */
    const struct vv_save_plan *save_plan;
    uint32_t value;
    const uint8_t *digests; /* of the value */
};

struct vv_share_walk vv_share_begin(const struct vv_share *share);
bool vv_share_next(struct vv_share_walk *walk, struct vv_share_chunk *chunk);

/* Whether the chunks of a save are packed or left out each by itself; else a
 * region is written as it is. */
static inline bool vv_goes_by_chunks(const struct vv_save_plan *save_plan)
{
    return save_plan->options.incremental || save_plan->options.compress;
}

/* --- As they are told ----------------------------------------------------- */

enum { VV_INDEX_BROADCAST_CHUNK_SIZE = 8 + 4 + 4 + VV_DIGEST_SIZE };

void vv_share_chunks_tell(
    struct vv_buffer *bytes, const struct vv_share *share);

struct vv_share_chunk vv_share_chunk_of_message(
    const uint8_t *told, size_t number);

#endif
