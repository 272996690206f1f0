/* torch_index.h - several files of torch.save as one checkpoint, after the
 * index that Hugging Face puts beside them: `pytorch_model.bin.index.json`.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TORCH_INDEX_H
#define VV_TORCH_INDEX_H

#include "foreign_format.h"

/* The file that is bid for is the index. Each file beside it is a dict of
 * tensors by their names; together they are one. */
extern const struct vv_foreign_format vv_torch_index_format;

#endif
