/* safetensors_out.h - a graph as safetensors files, byte for byte as the
 * reference implementation writes the same tensors.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SAFETENSORS_OUT_H
#define VV_SAFETENSORS_OUT_H

#include "target.h"

/* One file; or with a shard size that does not hold everything, or a path that
 * ends in ".safetensors.index.json", several as Hugging Face has them:
 * `stem-00001-of-0000N.safetensors` and, last, `stem.safetensors.index.json`.
 * VARVE_EXISTS where there would then be a single file of the same stem beside
 * them, which a reader might take for them.
 *
 * All files are written before the first appears under its name, unless there
 * are more than VV_SAFETENSORS_HELD. */
extern const struct vv_target_format vv_safetensors_target;

enum { VV_SAFETENSORS_HELD = 64 };

#endif
