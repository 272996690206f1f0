/* safetensors_dtype.h - the element types of safetensors: the one table.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SAFETENSORS_DTYPE_H
#define VV_SAFETENSORS_DTYPE_H

#include <varve/tensor.h>

struct vv_safetensors_dtype {
    const char *name;
    varve_dtype dtype; /* 0: there is none of ours */
    unsigned bits;     /* of an element */
};

/* In the order of the reference implementation, which writes the last ones
 * first. */
enum { VV_SAFETENSORS_DTYPES = 22 };
extern const struct vv_safetensors_dtype
    vv_safetensors_dtypes[VV_SAFETENSORS_DTYPES];

/* The row of a type of ours; NULL where there is none. */
const struct vv_safetensors_dtype *vv_safetensors_dtype_of(varve_dtype dtype);

#endif
