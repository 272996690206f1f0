/* element_text.h - Formats elements of tensors, except strings, for output.
 *
 * The library formats elements for its messages (lib/tensor/convert.h): from
 * memory, including strings, and shortened. These functions format the bytes of
 * a file, in full, and for JSON too.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_ELEMENT_TEXT_H
#define TOOL_ELEMENT_TEXT_H

#include <varve/tensor.h>

enum { ELEMENT_TEXT_SIZE = 96 };

/* Formats the element whose little-endian bytes are at `bytes`: integers
 * exactly, reals with the fewest digits that read back as the same number. For
 * JSON, numbers that JSON does not support are strings, and complex numbers
 * arrays of two. Not for strings. Returns `text`. */
const char *element_text(varve_dtype dtype, const unsigned char *bytes,
    bool for_json, char text[ELEMENT_TEXT_SIZE]);

/* Like element_text, for a double. */
const char *real_text(
    double value, bool for_json, char text[ELEMENT_TEXT_SIZE]);

#endif
