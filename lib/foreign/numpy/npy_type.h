/* npy_type.h - Maps types of NumPy, such as <f4, to element types.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_NPY_TYPE_H
#define VV_NPY_TYPE_H

#include "npy_in.h"

/* Parses header->descr, which must not be a structured type, and sets kind,
 * element type, byte order and size. Without a byte order character the data is
 * little-endian, as on nearly all machines that write such files. Returns false
 * if it is not a valid type. */
bool vv_npy_read_type(struct vv_npy_header *header);

/* Returns true if a type is that of Python objects. */
bool vv_npy_is_object(const char *descr, size_t size);

/* Returns NumPy's name of an element type: "<f4". bfloat16 and float8, which
 * NumPy does not have, are <V2 and |V1, as ml_dtypes writes them. Returns NULL
 * for strings, whose type includes their size. */
const char *vv_npy_type_of(varve_dtype dtype);

#endif
