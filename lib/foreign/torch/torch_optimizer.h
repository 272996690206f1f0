/* torch_optimizer.h - Writes the slots of an object as the state dict of a
 * PyTorch optimizer: {'state': {0: {...}}, 'param_groups': [{..., 'params': [0,
 * ...]}]}.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TORCH_OPTIMIZER_H
#define VV_TORCH_OPTIMIZER_H

#include "torch_tree.h"
#include "torch_value_out.h"

/* A variable that has slots, with the name under which it was written. */
struct vv_torch_written_slot {
    /* to fill in */
    uint32_t node;
    uint32_t size;
    size_t name; /* offset in the bytes of names */
};

struct vv_torch_optimizer {
    /* to fill in */
    struct vv_torch_tree *tree;
    struct vv_torch_values_out *values;
    const struct vv_buffer *spoken; /* struct vv_torch_written_slot, in order */
    const struct vv_buffer *names;
};

/* Adds an optimizer. Its variables are numbered in the order in which they were
 * written. */
varve_status vv_torch_add_optimizer(const struct vv_torch_optimizer *optimizer,
    uint32_t node, varve_error *error);

#endif
