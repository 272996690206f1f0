/* torch_order.h - Finds the order in which PyTorch lists the variables of a
 * model, from the positions in an optimizer's state.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TORCH_ORDER_H
#define VV_TORCH_ORDER_H

#include "target.h"

/* Sets positions[node] to the position plus 1 for each variable whose slots are
 * in an entry of their owner's `state`, such as `state/3/exp_avg`. Other
 * entries stay 0. Returns VARVE_OK or VARVE_NO_MEMORY. */
varve_status vv_torch_order(
    const struct vv_target *target, uint32_t *positions, varve_error *error);

/* Returns the child of a node by name, or VV_NONE. */
uint32_t vv_torch_child(
    const struct vv_index *index, uint32_t node, const char *name);

#endif
