/* shortest.h - Formats reals with the fewest digits that read back as the same
 * element.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_SHORTEST_H
#define TOOL_SHORTEST_H

#include <stdbool.h>

#include <varve/tensor.h>

enum { REAL_TEXT_SIZE = 400 }; /* for 309 digits before the point */

/* Returns the number of digits with which a finite real of a type (of a complex
 * type, a part of it) always reads back. */
int sure_digits(varve_dtype dtype, double real);

/* Returns true if a decimal number is nearer to an element than to its
 * neighbours. */
bool reads_back(varve_dtype dtype, const char *text, double real);

/* Formats a finite real of a type (of a complex type, a part of it) like "12.5"
 * or "-0.": with all digits that distinguish it from its neighbours, but at
 * most `precision` after the point. Trailing zeros are removed, the point is
 * not. Returns `text`. */
const char *plain_text(varve_dtype dtype, double real, unsigned precision,
    char text[REAL_TEXT_SIZE]);

/* Like plain_text, in the form "1.25e+01", with at least two digits of
 * exponent. */
const char *scientific_text(varve_dtype dtype, double real, unsigned precision,
    char text[REAL_TEXT_SIZE]);

#endif
