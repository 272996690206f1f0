/* torch_slots.h - Finds the slots of PyTorch optimizers.
 *
 * The state dict of an optimizer, {"state": {0: {...}}, "param_groups":
 * [{"params": [0]}]}, identifies variables by position. If a state dict of a
 * model or a module is next to it, or next to an object that contains it, the
 * tensors and numbers of each position become slots of a variable too. The
 * variable is the one that `param_names` gives for the position, or whose name
 * is used in place of the position (torch.distributed), or, without names, the
 * only one that the shapes allow (torch_match.h). An optimizer for which this
 * fails is listed as left out with the reason (torch_reason.h).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TORCH_SLOTS_H
#define VV_TORCH_SLOTS_H

#include "torch_graph.h"

/* Adds the slots to the draft. The graph must be complete. */
varve_status vv_torch_add_slots(struct vv_torch_graph *graph);

#endif
