/* share.h - which bytes of a checkpoint a process writes, and where.
 *
 * A slice is written by who has it, and so is what is private. Of what all
 * have, each writes as much as any other: all chunks in a row, cut into as many
 * ranges as there are processes. So it follows from the metadata, which are the
 * same everywhere, and nobody has to be asked. What a process writes lies
 * together, in its *region* of a layer; a region begins at a page.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SHARE_H
#define VV_SHARE_H

#include "private_parts.h"

/* Some bytes of a value. */
struct vv_part {
    /* to read */
    const struct vv_save_plan *save_plan; /* whose value it is */
    uint32_t value;
    uint64_t begin; /* in the value; of what no other has, 0 */
    uint64_t size;
    uint64_t offset; /* in the region */
};

/* Bytes that lie beside each other in the data and in the region, with the
 * padding between them. */
struct vv_stretch {
    /* to read */
    uint64_t place; /* in the data */
    uint64_t size;
    uint64_t offset; /* in the region */
};

struct vv_share {
    /* to read */
    struct vv_buffer offsets;   /* of values in the data, as a column */
    struct vv_buffer sizes;     /* of whole values, as a column */
    uint64_t end;               /* of the data */
    struct vv_buffer parts;     /* vv_part, in order; private ones are last */
    struct vv_buffer stretches; /* vv_stretch, but for slices */
    const struct vv_private_parts *privates; /* or NULL */
    uint64_t size;                           /* of the region */
};

/* The share of a rank of a save plan that was gathered with slices, and of what
 * is private to it (or NULL), which is told where it begins. */
varve_status vv_share_make(struct vv_share *share,
    const struct vv_save_plan *save_plan, struct vv_private_parts *privates,
    const varve_comm *comm, varve_error *error);
void vv_share_clear(struct vv_share *share);

/* Values as they lie in the data of the whole, without what is private, in an
 * index that has them as this process has. */
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
