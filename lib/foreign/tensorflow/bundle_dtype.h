/* bundle_dtype.h - element types by their numbers in TensorFlow (types.proto).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_BUNDLE_DTYPE_H
#define VV_BUNDLE_DTYPE_H

#include <stdint.h>

#include <varve/tensor.h>

/* What TensorFlow calls a type of ours; all of ours have a number there. */
uint32_t vv_bundle_dtype_number(varve_dtype dtype);

/* Our type for a number, quantized ones as the integers that they are; 0 for
 * one that we do not have. Numbers of references (100 more) are those of what
 * they refer to. */
varve_dtype vv_bundle_dtype(uint64_t number);

/* The number of what a reference refers to; any other as it is. */
uint64_t vv_bundle_dtype_referred(uint64_t number);

/* "float32", "variant" and so on; NULL for any other number. */
const char *vv_bundle_dtype_name(uint64_t number);

#endif
