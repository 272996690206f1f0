/* array_text.h - Prints elements in brackets like NumPy: aligned in columns,
 * wrapped, and shortened if there are many.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_ARRAY_TEXT_H
#define TOOL_ARRAY_TEXT_H

#include "show_parts.h"

/* More than MOST_ELEMENTS elements are shortened. */
enum { MOST_ELEMENTS = 1000, DEFAULT_WIDTH = 75, DEFAULT_PRECISION = 8 };

/* Sets `shown` to the part of a selection that is printed: of each long
 * dimension the first and the last three, two or one, so that there are at most
 * a few thousand elements. */
void array_shorten(const struct selection *selection, struct selection *shown);

/* Prints the selected elements of an open value, shortened unless --full; a
 * scalar without brackets. */
varve_status array_print(struct subject *subject, varve_error *error);

#endif
