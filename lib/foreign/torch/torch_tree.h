/* torch_tree.h - Determines which objects are written as dicts of their own,
 * and the members of each. The values of an object that was no container in a
 * torch file are written in the dict of its parent, with dotted names, as
 * PyTorch names the parameters of modules.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TORCH_TREE_H
#define VV_TORCH_TREE_H

#include "target.h"
#include "torch_kept.h"

/* A member of a dict or a list. */
struct vv_torch_member {
    /* to read */
    uint32_t node; /* VV_NONE: the member is None */
    uint32_t order;
    enum vv_pickle_kind key; /* the type of its key; its text is the name */
    size_t name, size;       /* offset and size in `names` */
};

struct vv_torch_tree {
    /* to read */
    const struct vv_target *target;
    struct vv_buffer members; /* struct vv_torch_member, of the containers that
                                 are being written */
    struct vv_buffer names;
    /* own */
    unsigned char *flags;   /* by node */
    uint32_t *positions;    /* by node: see torch_kept.h */
    struct vv_buffer steps; /* of the walk through an object */
    struct vv_buffer path;
    struct vv_buffer sorted; /* scratch */
};

/* Call vv_torch_tree_clear after failure too. */
varve_status vv_torch_tree_init(struct vv_torch_tree *tree,
    const struct vv_target *target, varve_error *error);
void vv_torch_tree_clear(struct vv_torch_tree *tree);

/* Returns true if an object owns slots and was no dict in a torch file. */
bool vv_torch_is_optimizer(const struct vv_torch_tree *tree, uint32_t node);

/* Returns true if a variable has slots. */
bool vv_torch_is_trained(const struct vv_torch_tree *tree, uint32_t node);

/* Returns true if a variable is a slot. */
bool vv_torch_is_slot(const struct vv_torch_tree *tree, uint32_t node);

/* Returns true if an object is a checkpoint of several parts, which are written
 * as dicts. */
bool vv_torch_is_split(const struct vv_torch_tree *tree, uint32_t node);

/* Appends the members of a dict or list to `members`, in order. */
varve_status vv_torch_add_members(
    struct vv_torch_tree *tree, uint32_t node, varve_error *error);

#endif
