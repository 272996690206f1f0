/* torch_tree.h - a graph as the pickle that torch.save makes of the dicts,
 * lists and tensors that stand for it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TORCH_TREE_H
#define VV_TORCH_TREE_H

#include "arena.h"
#include "map.h"
#include "pickle_out.h"
#include "torch_form.h"

struct vv_torch_tree {
    /* to read */
    struct vv_pickle_out pickle;
    struct vv_buffer storages; /* uint32_t: the values of tensors, by key */
    /* own */
    const struct vv_target *target;
    struct vv_torch_forms forms;
    struct vv_buffer frames; /* on the way */
    struct vv_buffer name;   /* in a state dict */
    uint32_t *keys;          /* by value: its storage, plus 1; 0: none yet */
    uint32_t *made;          /* by node: where it is remembered, plus 1 */
    uint32_t *positions;     /* by node: see torch_order.h */
    struct vv_buffer items;  /* of the state dict that is being made */
    uint32_t dicts;          /* state dicts so far */
    struct vv_arena arena;   /* the names that are taken in them */
    struct vv_map taken;
};

/* Makes all of it; numbers and texts are in it, of tensors only their shapes.
 * End with vv_torch_tree_clear, after a failure too. */
varve_status vv_torch_tree_make(struct vv_torch_tree *tree,
    const struct vv_target *target, varve_error *error);
void vv_torch_tree_clear(struct vv_torch_tree *tree);

#endif
