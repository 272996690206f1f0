/* dcp_in.h - Reads checkpoints of torch.distributed.checkpoint: a directory
 * with `.metadata`, a pickle that lists all values, and `__RANK_N.distcp`,
 * files that are sequences of torch.save files.
 *
 * Values are placed in the dicts and lists in which they were saved, as if
 * torch.save had written them. Tensors in pieces are assembled.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_DCP_IN_H
#define VV_DCP_IN_H

#include "foreign_format.h"
#include "torch_merge.h"

/* --- The tree ------------------------------------------------------------- */

/* Arranges values in the nested dicts and lists in which they were saved. */

struct vv_dcp_tree {
    /* own */
    struct vv_torch_merge *merge;
    struct vv_arena arena;
    struct vv_map places;
    struct vv_buffer nodes; /* struct vv_dcp_node *; the first is the root */
};

/* Returns false without memory; vv_dcp_tree_clear must be called even then. */
bool vv_dcp_tree_begin(struct vv_dcp_tree *tree, struct vv_torch_merge *merge);
void vv_dcp_tree_clear(struct vv_dcp_tree *tree);

/* Adds an item under a path of at least one key, each a text or an integer.
 * Sets *is_free to false if the path is used already. Returns false without
 * memory. */
bool vv_dcp_tree_add(struct vv_dcp_tree *tree, const uint32_t *keys,
    size_t count, uint32_t item, bool *is_free);

/* Adds the dicts to the pickle. Dicts whose keys are 0, 1, 2, ... in this order
 * become lists. */
varve_status vv_dcp_tree_end(struct vv_dcp_tree *tree, uint32_t *root);

/* --- Reading -------------------------------------------------------------- */

/* The file to open is `.metadata`. */
extern const struct vv_foreign_format vv_dcp_format;

#endif
