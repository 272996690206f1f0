/* element_text.h - elements of tensors but strings as text, for output.
 *
 * The library has a text of an element for its messages (lib/tensor/element.h),
 * of what is in memory, with strings and shortened. Here it is of the bytes of
 * a file, whole, and for JSON too.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_ELEMENT_TEXT_H
#define TOOL_ELEMENT_TEXT_H

#include <varve/tensor.h>

enum { ELEMENT_TEXT_SIZE = 96 };

/* Writes the element whose little-endian bytes are at `bytes`: integers
 * exactly, reals with the fewest digits that read back the same. For JSON,
 * what is no JSON number is a string and a complex number an array of two.
 * Not for strings. Returns `text`. */
const char *element_text(varve_dtype dtype, const unsigned char *bytes,
    bool for_json, char text[ELEMENT_TEXT_SIZE]);

/* The same for one double. */
const char *real_text(
    double value, bool for_json, char text[ELEMENT_TEXT_SIZE]);

#endif
