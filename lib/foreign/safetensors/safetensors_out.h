/* safetensors_out.h - Writes a graph as safetensors files, byte for byte like
 * the reference implementation.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SAFETENSORS_OUT_H
#define VV_SAFETENSORS_OUT_H

#include "target.h"

/* Writes one file, or, if the values do not fit in one shard or the path ends
 * in ".safetensors.index.json", several files like Hugging Face:
 * `stem-00001-of-0000N.safetensors` and, last, `stem.safetensors.index.json`.
 * If such files exist, the new ones are `stem.save2-00001-of-0000N.safetensors`
 * and so on: a name is never used for two checkpoints (file_set.h).
 *
 * Returns VARVE_EXISTS if there would be a single file and an index of several
 * files with the same stem, because readers could open the wrong one. */
extern const struct vv_target_format vv_safetensors_target;

#endif
