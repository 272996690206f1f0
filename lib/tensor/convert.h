/* convert.h - Converts values between element types.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_CONVERT_H
#define VV_CONVERT_H

#include <varve/tensor.h>

/* Returns true if every value of `from` is a value of `to`: int8 to float16,
 * float16 to float32, float32 to complex64 and so on. Also for equal types. A
 * bool widens to any number, strings only to strings. */
bool vv_convert_is_widening(varve_dtype from, varve_dtype to);

/* Returns true if values can be converted: both are strings, or neither is. */
bool vv_convert_is_possible(varve_dtype from, varve_dtype to);

/* Converts `count` elements in the host's byte order; neither type is a string.
 * Values that `to` cannot represent are converted to the nearest one: integers
 * are clamped, reals rounded to nearest even (to integers: toward zero, as in
 * C), NaN becomes 0 in an integer, imaginary parts are dropped, and any nonzero
 * number is true. Returns the number of values that were not converted exactly
 * (NaN to NaN is exact). */
uint64_t vv_convert(varve_dtype to, void *to_elements, varve_dtype from,
    const void *from_elements, uint64_t count);

#endif
