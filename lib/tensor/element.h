/* element.h - Formats an element as text, for messages.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_ELEMENT_H
#define VV_ELEMENT_H

#include <varve/tensor.h>

enum { VV_ELEMENT_TEXT_SIZE = 64 };

/* Writes the element at `bytes`, in the host's byte order, into `text`, which
 * has VV_ELEMENT_TEXT_SIZE bytes; returns it. Integers are exact, and reals
 * have the fewest digits that distinguish them from other values. For a string,
 * writes its first bytes in quotes, with "?" for control characters. */
char *vv_element_text(varve_dtype dtype, const void *bytes, char *text);

#endif
