/* torch_type.h - Maps element types to their names in PyTorch.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TORCH_TYPE_H
#define VV_TORCH_TYPE_H

#include <varve/tensor.h>

#include "pickle.h"

/* Returns the element type that an item names: a storage class, such as
 * FloatStorage, or a dtype, such as torch.float32. UntypedStorage is uint8.
 * Returns 0 for unsupported types and for other items. */
varve_dtype vv_torch_type(const struct vv_pickle *pickle, uint32_t item);

/* Returns the name of the storage class in the module torch, or NULL if there
 * is none. */
const char *vv_torch_storage_of(varve_dtype dtype);

/* Returns the name of a type in the module torch. Strings have none and must
 * not be passed. */
const char *vv_torch_name_of_type(varve_dtype dtype);

#endif
