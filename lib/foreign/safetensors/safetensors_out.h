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
 * Where such files are there, `stem.save2-00001-of-0000N.safetensors` and so
 * on: a name is never that of two checkpoints (file_set.h).
 *
 * VARVE_EXISTS where there would then be a single file of the same stem beside
 * the index of several, so that readers might take the one for the other. */
extern const struct vv_target_format vv_safetensors_target;

#endif
