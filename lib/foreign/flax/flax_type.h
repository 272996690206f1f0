/* flax_type.h - the element types of arrays by the names that NumPy has for
 * them (`dtype.name`), those of the package ml_dtypes with them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_FLAX_TYPE_H
#define VV_FLAX_TYPE_H

#include <stddef.h>

#include <varve/tensor.h>

struct vv_flax_type {
    const char *name;
    varve_dtype dtype;  /* 0: we have none */
    unsigned char size; /* bytes of an element */
};

/* NULL for a name that is not in the table. */
const struct vv_flax_type *vv_flax_type_find(const char *name, size_t size);

#endif
