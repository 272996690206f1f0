/* torch_tree.h - which objects are dicts of their own, and what is in each: an
 * object that was none in a torch file is no dict, but its values are in that
 * of its parent, by names with dots, as PyTorch names what is in modules.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TORCH_TREE_H
#define VV_TORCH_TREE_H

#include "target.h"
#include "torch_kept.h"

/* What is in a dict or a list. */
struct vv_torch_member {
    /* to read */
    uint32_t node; /* VV_NONE: None */
    uint32_t order;
    enum vv_pickle_kind key; /* of what kind its key is; the name says which */
    size_t name, size;       /* in the names */
};

struct vv_torch_tree {
    /* to read */
    const struct vv_target *target;
    struct vv_buffer members; /* struct vv_torch_member, of open containers */
    struct vv_buffer names;
    /* own */
    unsigned char *flags;   /* by node */
    uint32_t *positions;    /* by node: see torch_order.h */
    struct vv_buffer steps; /* on the way through an object */
    struct vv_buffer path;
    struct vv_buffer sorted; /* room */
};

/* End with vv_torch_tree_clear after a failure too. */
varve_status vv_torch_tree_init(struct vv_torch_tree *tree,
    const struct vv_target *target, varve_error *error);
void vv_torch_tree_clear(struct vv_torch_tree *tree);

/* Whether an object owns slots that no dict of a torch file has. */
bool vv_torch_is_optimizer(const struct vv_torch_tree *tree, uint32_t node);

/* Whether a variable has slots. */
bool vv_torch_is_trained(const struct vv_torch_tree *tree, uint32_t node);

/* Whether a variable is in a slot. */
bool vv_torch_is_slot(const struct vv_torch_tree *tree, uint32_t node);

/* Whether an object with others beside it is a checkpoint of several parts. */
bool vv_torch_is_split(const struct vv_torch_tree *tree, uint32_t node);

/* Adds the members of a dict or list to those that there are, in its order. */
varve_status vv_torch_add_members(
    struct vv_torch_tree *tree, uint32_t node, varve_error *error);

#endif
