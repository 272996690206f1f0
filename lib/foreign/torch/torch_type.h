/* torch_type.h - what torch calls its element types.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TORCH_TYPE_H
#define VV_TORCH_TYPE_H

#include <varve/tensor.h>

#include "pickle.h"

/* That of the elements of a storage, by its class in a pickle; of an untyped
 * one, whose elements are bytes, and of float32 by torch.float32 as well. 0 for
 * a type that we do not have, and for what is no type. */
varve_dtype vv_torch_type(const struct vv_pickle *pickle, uint32_t item);

/* The class of its storages in the module torch; NULL: it has none. */
const char *vv_torch_storage_of(varve_dtype dtype);

/* What it is itself there; of all but strings. */
const char *vv_torch_name_of_type(varve_dtype dtype);

#endif
