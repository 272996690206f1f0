/* torch_slots.h - what an optimizer of torch keeps of each variable as slots.
 *
 * Its state dict, {"state": {0: {...}}, "param_groups": [{"params": [0]}]},
 * knows its variables by positions in its groups. Where a state dict of a model
 * or a module stands beside it, or beside an object that it is in, and the
 * shapes fit in one way only (torch_match.h), the tensors and numbers of a
 * position are slots of that variable as well; so they are where the positions
 * are names, as torch.distributed has them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TORCH_SLOTS_H
#define VV_TORCH_SLOTS_H

#include "torch_graph.h"

/* Of a graph that is whole: what it finds goes to the draft. */
varve_status vv_torch_add_slots(struct vv_torch_graph *graph);

#endif
