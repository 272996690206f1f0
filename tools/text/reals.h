/* reals.h - Converts elements to doubles or to ordered integers, many at a
 * time.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_REALS_H
#define TOOL_REALS_H

#include <stddef.h>
#include <stdint.h>

#include <varve/tensor.h>

/* Returns true if a double can represent every value of a type. A complex
 * number is converted to its magnitude: NaN if a part is NaN, otherwise
 * infinite if one is. Returns false for int64, uint64 and strings. */
bool fits_real(varve_dtype dtype);

/* Converts `count` elements in the form used in files. */
void reals_from(
    varve_dtype dtype, const unsigned char *bytes, size_t count, double *reals);

/* For the other types: the integer, or the length of the string. KEY_BIAS is
 * added to signed integers, so that keys are ordered. */
#define KEY_BIAS (UINT64_C(1) << 63)
void keys_from(varve_dtype dtype, const unsigned char *bytes, size_t count,
    uint64_t *keys);

#endif
