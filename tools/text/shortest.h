/* shortest.h - reals with the fewest digits that read back as the same element.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_SHORTEST_H
#define TOOL_SHORTEST_H

#include <stdbool.h>

#include <varve/tensor.h>

enum { REAL_TEXT_SIZE = 400 }; /* 309 digits before the point */

/* How many digits of a finite real of a type (of a complex one, a part of it)
 * always read back. */
int sure_digits(varve_dtype dtype, double real);

/* Whether a decimal number is nearer to an element than to its neighbours. */
bool reads_back(varve_dtype dtype, const char *text, double real);

/* A finite real of a type (of a complex one, a part of it) as "12.5" or
 * "-0.": with all digits that it needs to be told from its neighbours, but at
 * most `precision` behind the point; zeros at the end are left off, the point
 * is not. Returns `text`. */
const char *plain_text(varve_dtype dtype, double real, unsigned precision,
    char text[REAL_TEXT_SIZE]);

/* The same as "1.25e+01"; at least two digits of exponent. */
const char *scientific_text(varve_dtype dtype, double real, unsigned precision,
    char text[REAL_TEXT_SIZE]);

#endif
