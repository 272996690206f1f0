/* rename_stands.h - Stores the stands of renames with `**` at the nodes of the
 * program: for each node only those of the stages that it has reached.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_RENAME_STANDS_H
#define VV_RENAME_STANDS_H

#include "rename_index.h"

/* The part of `all` that belongs to a node. */
struct vv_stands_of_node {
    size_t begin;
    uint32_t count, capacity;
};

struct vv_rename_stands {
    /* own */
    const varve_allocator *allocator;
    struct vv_stands_of_node *of; /* by number of a node */
    size_t capacity;
    struct vv_buffer all; /* struct vv_stage_stand */
};

void vv_rename_stands_init(
    struct vv_rename_stands *stands, const varve_allocator *allocator);
void vv_rename_stands_clear(struct vv_rename_stands *stands);

/* Makes room for nodes with numbers below `wanted`. Returns false if out of
 * memory. */
bool vv_rename_stands_grow(struct vv_rename_stands *stands, size_t wanted);

/* Returns the stands of a node, by stage. Valid until the next change. */
const struct vv_stage_stand *vv_rename_stands_at(
    const struct vv_rename_stands *stands, uint32_t node, size_t *count);

/* Returns the stand of a node in a stage, or NULL. */
const struct vv_stand *vv_rename_stand_in(
    const struct vv_rename_stands *stands, uint32_t node, uint32_t stage);

/* Sets the stands of a node, which `list` has by stage. Sets *is_new to true if
 * they differ from before. Returns false if out of memory. */
bool vv_rename_stands_set(struct vv_rename_stands *stands, uint32_t node,
    const struct vv_buffer *list, bool *is_new);

#endif
