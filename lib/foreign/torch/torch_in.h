/* torch_in.h - what torch.save writes: a pickle and storages, in a zip archive
 * since torch 1.6 (torch/serialization.py), as a checkpoint.
 *
 * The pickle is read and never run (pickle_in.h). Dicts, lists and tuples are
 * objects, lists of numbers vectors; a tensor is a variable, one for all names
 * that it has; numbers, texts and bytes are scalars. What would be made by
 * functions or classes that we do not know is an object with the tag
 * `pickle:MODULE.NAME`, and what it was made of below it; of a module of torch
 * these are its parameters, buffers and modules. None is not there.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TORCH_IN_H
#define VV_TORCH_IN_H

#include "foreign_format.h"
#include "torch_file.h"

extern const struct vv_foreign_format vv_torch_format;

/* Tells the draft all that a pickle makes, with the slots of optimizers. */
varve_status vv_torch_read_graph(struct vv_draft *draft,
    struct vv_torch_file *file, const struct vv_pickle *pickle,
    varve_error *error);

#endif
