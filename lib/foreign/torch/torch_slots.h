/* torch_slots.h - what an optimizer of torch keeps of each variable as slots.
 *
 * Its state dict, {"state": {0: {...}}, "param_groups": [{"params": [0]}]},
 * has positions in the place of variables. Where a state dict of a model or a
 * module stands beside it, or beside an object that it is in, the tensors and
 * numbers of a position are slots of a variable as well: of that which
 * `param_names` gives for the position, of that whose name is in the place of
 * the position (torch.distributed), or, without names, of that which the shapes
 * leave (torch_match.h). An optimizer whose moments are no slots is listed with
 * the reason (torch_reason.h).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TORCH_SLOTS_H
#define VV_TORCH_SLOTS_H

#include "torch_graph.h"

/* Of a graph that is whole: what it finds goes to the draft. */
varve_status vv_torch_add_slots(struct vv_torch_graph *graph);

#endif
