/* torch_out.h - graphs as files of torch.save, which torch.load takes with
 * `weights_only`: an archive with a pickle of dicts, lists and tensors, and the
 * storages of these, each of which begins at a multiple of 64 bytes.
 *
 * An object below which there are tensors only is a state dict: the names of
 * the path to each, joined by dots. What owns slots, or has `state` and
 * `param_groups`, is the state dict of an optimizer. Everything else is a dict
 * or a list as it is in the graph, scalars of bool, int64, uint64 and float64
 * as numbers of Python, strings as texts.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TORCH_OUT_H
#define VV_TORCH_OUT_H

#include "target.h"

extern const struct vv_target_format vv_torch_target;

#endif
