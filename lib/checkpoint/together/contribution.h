/* contribution.h - what a process tells rank 0 of its share, before a byte is
 * written: with that of all, rank 0 knows the whole index.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_CONTRIBUTION_H
#define VV_CONTRIBUTION_H

#include "comm_collectives.h"
#include "checksum.h"
#include "share_chunks.h"

/* As it is told, in the byte order of a file. */
struct vv_contribution {
    /* to read */
    const uint8_t *request;   /* digest of path, options and metadata */
    const uint8_t *structure; /* digest of the graph, types and shapes */
    const uint8_t *values;    /* digest of all values but slices */
    uint32_t node;
    uint64_t size; /* of the region */
    size_t stretch_count;
    const uint8_t *stretches; /* place, size and offset of each, 8 bytes each */
    size_t chunk_count;       /* none where regions are written as they are */
    const uint8_t *chunks;    /* share_chunks.h */
    const uint8_t *privates;  /* vv_private_message, one behind the other */
    const uint8_t *slices;    /* vv_slice_message, one behind the other */
};

/* What is told of a slice; of the digests as many as its bytes have chunks. */
struct vv_slice_message {
    /* to read */
    uint64_t size;
    uint64_t offset; /* in the region */
    const uint8_t *digests;
};

/* What is told of a private subtree. */
struct vv_private_message {
    /* to read */
    uint32_t place; /* of the private node, in the graph of all */
    uint64_t begin; /* so far behind its own offsets its values lie in the
                       region */
    struct vv_index index; /* as of a file of its own */
};

/* Appends what this process tells, with slices, or without: then these are told
 * in rounds. Its save plan has all digests. */
varve_status vv_contribution_add(struct vv_buffer *bytes,
    const varve_comm *comm, const char *path,
    const struct vv_save_plan *save_plan, const struct vv_share *share,
    bool with_slices, varve_error *error);

/* Its slices, some after the others. */
struct vv_slice_sender {
    /* own */
    const struct vv_save_plan *save_plan;
    const struct vv_save_plan_slice *slice; /* the next */
    const struct vv_part *part;
    const uint8_t *digests; /* of the next value */
    uint32_t value;
};
struct vv_slice_sender vv_slices_begin(
    const struct vv_save_plan *save_plan, const struct vv_share *share);

/* Appends what is told of the next so many. */
void vv_slices_tell(
    struct vv_slice_sender *telling, struct vv_buffer *bytes, size_t count);

/* What a rank has told. */
struct vv_contribution vv_contribution_of(const uint8_t *bytes);

/* What it told of the private subtree at `at`; moves on to the next. */
struct vv_private_message vv_contribution_private(const uint8_t **at);

/* What it told of the slice at `told`, whose dimensions are those of this
 * rank's: its box, as the column of boxes has one, stands first. */
struct vv_slice_message vv_contribution_slice(
    const uint8_t *told, uint32_t rank);

/* Its size alone. */
static inline uint64_t vv_index_broadcast_size(
    const uint8_t *told, uint32_t rank)
{
    return vv_at64(told, 2 * (size_t)rank);
}

/* Moves on to the next slice. */
static inline void vv_contribution_pass(const uint8_t **at, uint32_t rank)
{
    uint64_t size = vv_index_broadcast_size(*at, rank);
    *at += 16 * (size_t)rank + 16 + vv_chunk_count(size) * VV_DIGEST_SIZE;
}

#endif
