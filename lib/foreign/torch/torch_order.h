/* torch_order.h - the order in which torch knows the variables of a model: that
 * of an optimizer's state, whose keys are positions.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TORCH_ORDER_H
#define VV_TORCH_ORDER_H

#include "torch_form.h"

/* Sets, by node, the position of each variable that an optimizer has slots of,
 * plus 1: that of the entry of its `state` which the slot is in, else where it
 * is among its slots. What none has slots of stays 0. `room` has as many
 * elements, all 0. */
void vv_torch_order(
    const struct vv_torch_forms *forms, uint32_t *positions, uint32_t *room);

#endif
