/* safetensors_index.h - several safetensors files as one checkpoint, after the
 * index that Hugging Face puts beside them: `*.safetensors.index.json`.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SAFETENSORS_INDEX_H
#define VV_SAFETENSORS_INDEX_H

#include "foreign_format.h"

/* The file that is bid for is the index; it says in which file beside it each
 * tensor is. */
extern const struct vv_foreign_format vv_safetensors_index_format;

#endif
