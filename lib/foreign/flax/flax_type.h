/* flax_type.h - Lists the element types of arrays by their names in NumPy
 * (`dtype.name`), including those of the package ml_dtypes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_FLAX_TYPE_H
#define VV_FLAX_TYPE_H

#include <stddef.h>

#include <varve/tensor.h>

struct vv_flax_type {
    const char *name;
    varve_dtype dtype;  /* 0 if Varve does not have the type */
    unsigned char size; /* of an element */
};

/* Returns the type with this name, or NULL. */
const struct vv_flax_type *vv_flax_type_find(const char *name, size_t size);

#endif
