/* bundle_dtype.h - Maps element types to their numbers in TensorFlow
 * (types.proto).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_BUNDLE_DTYPE_H
#define VV_BUNDLE_DTYPE_H

#include <stdint.h>

#include <varve/tensor.h>

/* Returns TensorFlow's number of a type. Every type has one. */
uint32_t vv_bundle_dtype_number(varve_dtype dtype);

/* Returns the type with a number, or 0 if it is not supported. Quantized types
 * are returned as integers. The number of a reference type (100 more) is
 * replaced by that of the type it refers to. */
varve_dtype vv_bundle_dtype(uint64_t number);

/* Returns the number of the type that a reference type refers to, and any other
 * number unchanged. */
uint64_t vv_bundle_dtype_referred(uint64_t number);

/* Returns a name such as "float32" or "variant", or NULL for an unknown number.
 */
const char *vv_bundle_dtype_name(uint64_t number);

#endif
