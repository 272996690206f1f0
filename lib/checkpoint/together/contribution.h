/* contribution.h - The message that each rank sends to rank 0 before data is
 * written. From the messages of all ranks rank 0 computes the whole index.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_CONTRIBUTION_H
#define VV_CONTRIBUTION_H

#include "comm_collectives.h"
#include "checksum.h"
#include "share.h"

/* A message, decoded. Numbers in it are in the byte order of a file. */
struct vv_contribution {
    /* to read */
    const uint8_t *request;   /* digest of path, options and metadata */
    const uint8_t *structure; /* digest of the graph, types and shapes */
    const uint8_t *values;    /* digest of all values except shards */
    uint32_t node;
    uint64_t size; /* size of the region */
    size_t stretch_count;
    const uint8_t *stretches; /* place, size and offset of each, 8 bytes each */
    size_t chunk_count;       /* 0: regions are written as they are */
    const uint8_t *chunks;    /* see share.h */
    const uint8_t *privates;  /* vv_private_message, one after another */
    const uint8_t *slices;    /* vv_slice_message, one after another */
};

/* A shard in the message. It has one digest for each chunk. */
struct vv_slice_message {
    /* to read */
    uint64_t size;
    uint64_t offset; /* in the region */
    const uint8_t *digests;
};

/* A rank-local subtree in the message. */
struct vv_private_message {
    /* to read */
    uint32_t place;        /* number of the rank-local node in the graph of all
                              ranks */
    uint64_t begin;        /* the values are at this distance after their own
                              offsets in the region */
    struct vv_index index; /* as of a separate file */
};

/* Appends the message of this rank. Without slices, these are sent in rounds
 * later. The save plan must have all digests. */
varve_status vv_contribution_add(struct vv_buffer *bytes,
    const varve_comm *comm, const char *path,
    const struct vv_save_plan *save_plan, const struct vv_share *share,
    bool with_slices, varve_error *error);

/* Sends the shards of this rank in several steps. */
struct vv_slice_sender {
    /* own */
    const struct vv_save_plan *save_plan;
    const struct vv_save_plan_slice *slice; /* the next one to send */
    const struct vv_part *part;
    const uint8_t *digests; /* digests of the next value */
    uint32_t value;
};
struct vv_slice_sender vv_slices_begin(
    const struct vv_save_plan *save_plan, const struct vv_share *share);

/* Appends the next `count` shards. */
void vv_slices_encode(
    struct vv_slice_sender *sender, struct vv_buffer *bytes, size_t count);

/* Decodes the message of a rank. */
struct vv_contribution vv_contribution_of(const uint8_t *bytes);

/* Decodes the rank-local subtree at *at, and advances *at to the next one. */
struct vv_private_message vv_contribution_private(const uint8_t **at);

/* Decodes a shard of `rank` dimensions. It begins with its box, encoded as in
 * the column of boxes. */
struct vv_slice_message vv_contribution_slice(
    const uint8_t *message, uint32_t rank);

/* Returns the size of a shard. */
static inline uint64_t vv_slice_message_size(
    const uint8_t *message, uint32_t rank)
{
    return vv_at64(message, 2 * (size_t)rank);
}

/* Advances *at to the next shard. */
static inline void vv_contribution_skip_slice(const uint8_t **at, uint32_t rank)
{
    uint64_t size = vv_slice_message_size(*at, rank);
    *at += 16 * (size_t)rank + 16 + vv_chunk_count(size) * VV_DIGEST_SIZE;
}

#endif
