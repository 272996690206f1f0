/* share.h - Computes which bytes of a checkpoint a process writes, and where.
 *
 * Each process writes its own shards and its rank-local data. Replicated data
 * is divided evenly: all chunks in a row are divided into as many ranges as
 * there are processes. The result depends only on the metadata, which is the
 * same on all ranks, so no communication is needed. The bytes that a process
 * writes are contiguous: its *region* of a layer. A region begins at a page
 * boundary.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SHARE_H
#define VV_SHARE_H

#include "private_parts.h"

/* A range of bytes of a value. */
struct vv_part {
    /* to read */
    const struct vv_save_plan *save_plan; /* to which the value belongs */
    uint32_t value;
    uint64_t begin; /* in the value; 0 for shards and rank-local values */
    uint64_t size;
    uint64_t offset; /* in the region */
};

/* A range that is contiguous in the data and in the region, including
 * padding. */
struct vv_stretch {
    /* to read */
    uint64_t place; /* offset in the data */
    uint64_t size;
    uint64_t offset; /* in the region */
};

struct vv_share {
    /* to read */
    struct vv_buffer offsets; /* offsets of values in the data, as a column */
    struct vv_buffer sizes;   /* sizes of whole values, as a column */
    uint64_t end;             /* end of the data */
    struct vv_buffer parts;   /* vv_part, in order; rank-local ones are last */
    struct vv_buffer stretches; /* vv_stretch; only replicated data */
    const struct vv_private_parts *privates; /* or NULL */
    uint64_t size;                           /* size of the region */
};

/* Computes the share of this rank. The save plan must be gathered with slices.
 * `privates` (or NULL) are the rank-local subtrees; their `begin` is set. */
varve_status vv_share_make(struct vv_share *share,
    const struct vv_save_plan *save_plan, struct vv_private_parts *privates,
    const varve_comm *comm, varve_error *error);
void vv_share_clear(struct vv_share *share);

/* Sets the offsets and sizes of an index of this process to those in the data
 * of the checkpoint, without rank-local data. */
static inline void vv_share_lay_out(
    const struct vv_share *share, struct vv_index *index)
{
    index->value_offsets = share->offsets.data;
    index->value_sizes = share->sizes.data;
}

static inline const struct vv_part *vv_parts(
    const struct vv_share *share, size_t *count)
{
    *count = share->parts.size / sizeof(struct vv_part);
    return (const struct vv_part *)(const void *)share->parts.data;
}

#endif
