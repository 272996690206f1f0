/* npy_type.h - the types of NumPy, such as <f4, and which are ours.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_NPY_TYPE_H
#define VV_NPY_TYPE_H

#include "npy_in.h"

/* Reads header->descr, which is not of a structured type, into kind, element
 * type, byte order and size. Without a sign of its own the order is
 * little-endian, as it is on nearly every machine that writes such a file.
 * False for what is no type. */
bool vv_npy_read_type(struct vv_npy_header *header);

/* Whether a type is that of Python objects. */
bool vv_npy_is_object(const char *descr, size_t size);

/* How NumPy calls one of our types: "<f4", with its terminating NUL. bfloat16
 * and float8, which it does not have, are <V2 and |V1, as ml_dtypes has them
 * written. NULL for strings, whose type tells their size. */
const char *vv_npy_type_of(varve_dtype dtype);

#endif
