/* safetensors_index.h - Reads several safetensors files as one checkpoint,
 * through the index that Hugging Face stores beside them
 * (`*.safetensors.index.json`).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SAFETENSORS_INDEX_H
#define VV_SAFETENSORS_INDEX_H

#include "foreign_format.h"

/* The candidate file is the index. It maps each tensor to a file beside it. */
extern const struct vv_foreign_format vv_safetensors_index_format;

#endif
