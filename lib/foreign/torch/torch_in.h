/* torch_in.h - Reads torch.save files as checkpoints: a pickle and storages, in
 * a zip archive since torch 1.6 (torch/serialization.py).
 *
 * The pickle is parsed and never executed (pickle_in.h). Dicts, lists and
 * tuples become objects, and lists of numbers become vectors. A tensor is one
 * variable for all of its names. Numbers, texts and bytes are scalars. The
 * result of an unknown function or class is an object with the tag
 * `pickle:MODULE.NAME` whose children are its arguments and state; for a torch
 * module they are its parameters, buffers and modules. None has no node.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TORCH_IN_H
#define VV_TORCH_IN_H

#include "foreign_format.h"
#include "torch_file.h"

/* --- One file ------------------------------------------------------------- */

extern const struct vv_foreign_format vv_torch_format;

/* Adds all values of a pickle and the slots of optimizers to the draft. */
varve_status vv_torch_read_graph(struct vv_draft *draft,
    struct vv_torch_file *file, const struct vv_pickle *pickle,
    varve_error *error);

/* --- Several files -------------------------------------------------------- */

/* Reads several torch.save files as one checkpoint, listed in a Hugging Face
 * index, `pytorch_model.bin.index.json`. */

/* Opens the index. Each file that it lists is a dict of tensors by name; they
 * are merged into one dict. */
extern const struct vv_foreign_format vv_torch_index_format;

#endif
