/* torch_flat.h - the slots of an optimizer whose state dict is flat.
 *
 * torch.distributed can write {"state.0.weight.exp_avg": ..., and so on}:
 * beside an object of such names, or beside one that it is in, the one object
 * that has all of what they begin with (0.weight) has the variables.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TORCH_FLAT_H
#define VV_TORCH_FLAT_H

#include "torch_graph.h"

/* Of a graph that is whole and has its roles: what it finds goes to the
 * draft. */
varve_status vv_torch_add_flat_slots(struct vv_torch_graph *graph);

#endif
