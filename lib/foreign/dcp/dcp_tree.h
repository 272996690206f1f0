/* dcp_tree.h - values with the keys under which they were, as the dicts and
 * lists of a pickle.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_DCP_TREE_H
#define VV_DCP_TREE_H

#include "torch_merge.h"

struct vv_dcp_tree {
    /* own */
    struct vv_torch_merge *merge;
    struct vv_arena arena;
    struct vv_map places;
    struct vv_buffer nodes; /* struct vv_dcp_node *; the root is the first */
};

/* False without memory. End with vv_dcp_tree_clear all the same. */
bool vv_dcp_tree_begin(struct vv_dcp_tree *tree, struct vv_torch_merge *merge);
void vv_dcp_tree_clear(struct vv_dcp_tree *tree);

/* Adds an item under keys, texts or integers, of which there is one at least.
 * *is_free is false where another one is there. False without memory. */
bool vv_dcp_tree_add(struct vv_dcp_tree *tree, const uint32_t *keys,
    size_t count, uint32_t item, bool *is_free);

/* Adds the dicts to the pickle; those with the keys 0, 1, 2, ... are lists. */
varve_status vv_dcp_tree_end(struct vv_dcp_tree *tree, uint32_t *root);

#endif
