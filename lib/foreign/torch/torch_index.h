/* torch_index.h - Reads several torch.save files as one checkpoint, listed in a
 * Hugging Face index, `pytorch_model.bin.index.json`.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TORCH_INDEX_H
#define VV_TORCH_INDEX_H

#include "foreign_format.h"

/* Opens the index. Each file that it lists is a dict of tensors by name; they
 * are merged into one dict. */
extern const struct vv_foreign_format vv_torch_index_format;

#endif
