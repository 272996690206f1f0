/* torch_out.h - Writes a graph as a torch.save file: a pickle of dicts, lists,
 * numbers and texts, and a storage for each tensor.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TORCH_OUT_H
#define VV_TORCH_OUT_H

#include "target.h"

extern const struct vv_target_format vv_torch_target;

#endif
