/* torch_flat.h - Finds the slots of an optimizer whose state dict is flat.
 *
 * torch.distributed can write {"state.0.weight.exp_avg": ..., and so on}. The
 * variables belong to the object that contains all names between `state.` and
 * the last dot (0.weight). It must be the only such object next to the
 * optimizer or next to an object that contains the optimizer.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TORCH_FLAT_H
#define VV_TORCH_FLAT_H

#include "torch_graph.h"

/* Adds the slots to the draft. The graph must be complete and have its roles.
 */
varve_status vv_torch_add_flat_slots(struct vv_torch_graph *graph);

#endif
