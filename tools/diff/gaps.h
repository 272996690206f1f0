/* gaps.h - how far apart the elements of two runs of numbers are.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_GAPS_H
#define TOOL_GAPS_H

#include <stdbool.h>
#include <varve/tensor.h>

enum { GAPS = 512 }; /* elements at a time */

/* What is known of each pair of elements. Equal infinities are 0 apart; so are
 * two NaN, and a NaN is NaN apart from anything else. */
struct gaps {
    size_t count;
    bool is_whole;       /* all are whole numbers, whose distances are exact
                            in `exact` */
    double apart[GAPS];  /* |a - b| */
    double size_a[GAPS]; /* |a| */
    double size_b[GAPS]; /* |b| */
    uint64_t exact[GAPS];
};

/* Measures `count` elements, at most GAPS, of any types but strings: as they
 * lie in a file, little-endian. Complex numbers are as far apart as points in
 * the plane. Distances between whole numbers that no 64 bits hold are as exact
 * as a double. */
void gaps_measure(struct gaps *gaps, varve_dtype dtype_a,
    const unsigned char *a, varve_dtype dtype_b, const unsigned char *b,
    size_t count);

#endif
