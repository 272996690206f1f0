/* convert.h - values of one element type as another.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_CONVERT_H
#define VV_CONVERT_H

#include <varve/tensor.h>

/* Whether every value of `from` is a value of `to`: int8 to float16, float16 to
 * float32, float32 to complex64 and so on. True for equal types. A bool widens
 * to any number. Strings only to strings. */
bool vv_convert_is_widening(varve_dtype from, varve_dtype to);

/* Whether values can be converted at all: both are strings, or neither. */
bool vv_convert_is_possible(varve_dtype from, varve_dtype to);

/* Converts `count` elements in the host's byte order; neither type is a string.
 * A value that `to` does not have becomes the nearest that it has: integers are
 * clamped, reals rounded to nearest even (to integers: toward zero, as C does),
 * NaN becomes 0 in an integer, an imaginary part is dropped, anything but 0 is
 * true. Returns how many were not kept exactly (NaN as NaN is kept). */
uint64_t vv_convert(varve_dtype to, void *to_elements, varve_dtype from,
    const void *from_elements, uint64_t count);

#endif
