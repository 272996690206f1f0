/* safetensors_dtype.h - Maps element types of safetensors to those of Varve.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SAFETENSORS_DTYPE_H
#define VV_SAFETENSORS_DTYPE_H

#include <varve/tensor.h>

struct vv_safetensors_dtype {
    const char *name;
    varve_dtype dtype; /* 0 if Varve does not have the type */
    unsigned bits;     /* size of an element */
};

/* In the order of the reference implementation, which writes tensors of the
 * last types first. */
enum { VV_SAFETENSORS_DTYPES = 22 };
extern const struct vv_safetensors_dtype
    vv_safetensors_dtypes[VV_SAFETENSORS_DTYPES];

/* Returns the entry of an element type, or NULL if safetensors does not have
 * it. */
const struct vv_safetensors_dtype *vv_safetensors_dtype_of(varve_dtype dtype);

#endif
