/* torch_order.h - the order in which torch knows the variables of a model: that
 * of an optimizer's state, whose keys are positions.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TORCH_ORDER_H
#define VV_TORCH_ORDER_H

#include "target.h"

/* Sets, by node, the position plus 1 of each variable whose slots are in an
 * entry of their owner's `state`, as `state/3/exp_avg` is. Others stay 0.
 * VARVE_NO_MEMORY. */
varve_status vv_torch_order(
    const struct vv_target *target, uint32_t *positions, varve_error *error);

/* The child of a node under a name, or VV_NONE. */
uint32_t vv_torch_child(
    const struct vv_index *index, uint32_t node, const char *name);

#endif
