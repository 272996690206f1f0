/* reals.h - elements as double or as ordered integers, many at a time.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_REALS_H
#define TOOL_REALS_H

#include <stddef.h>
#include <stdint.h>

#include <varve/tensor.h>

/* Whether a double holds every value of a type; of a complex number it is the
 * magnitude: NaN where a part is NaN, else infinite where one is. Not so of
 * int64, uint64 and strings. */
bool fits_real(varve_dtype dtype);

/* From `count` elements as they lie in a file. */
void reals_from(
    varve_dtype dtype, const unsigned char *bytes, size_t count, double *reals);

/* Of the other types: the integer, or the length of the string. Those with a
 * sign have KEY_BIAS added, so that all are in order. */
#define KEY_BIAS (UINT64_C(1) << 63)
void keys_from(varve_dtype dtype, const unsigned char *bytes, size_t count,
    uint64_t *keys);

#endif
