/* convert.h - Converts elements to other types and to text.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_CONVERT_H
#define VV_CONVERT_H

#include <varve/tensor.h>

/* --- Conversions ---------------------------------------------------------- */

/* Converts values between element types. */

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

/* --- Text ----------------------------------------------------------------- */

/* Formats an element as text, for messages. */

enum { VV_ELEMENT_TEXT_SIZE = 64 };

/* Writes the element at `bytes`, in the host's byte order, into `text`, which
 * has VV_ELEMENT_TEXT_SIZE bytes; returns it. Integers are exact, and reals
 * have the fewest digits that distinguish them from other values. For a string,
 * writes its first bytes in quotes, with "?" for control characters. */
char *vv_element_text(varve_dtype dtype, const void *bytes, char *text);

#endif
