/* array_text.h - elements in brackets, as NumPy prints them: in columns, a row
 * on a line or on several, of many elements those at the ends.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_ARRAY_TEXT_H
#define TOOL_ARRAY_TEXT_H

#include "show_parts.h"

/* More elements than these are not all printed. */
enum { MOST_ELEMENTS = 1000, DEFAULT_WIDTH = 75, DEFAULT_PRECISION = 8 };

/* What of a selection is printed: of each dimension with more the first and
 * the last three, two or one, so that all are a few thousand at most. */
void array_shorten(const struct selection *selection, struct selection *shown);

/* Prints what is selected of an open value, shortened unless --full; a scalar
 * stands alone. */
varve_status array_print(struct subject *subject, varve_error *error);

#endif
