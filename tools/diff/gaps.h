/* gaps.h - Computes the distances between the elements of two number sequences.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_GAPS_H
#define TOOL_GAPS_H

#include <stdbool.h>
#include <varve/tensor.h>

enum { GAPS = 512 }; /* largest number of elements per call */

/* The results for each pair of elements. Equal infinities have the distance 0,
 * and so have two NaN; NaN has the distance NaN from anything else. */
struct gaps {
    size_t count;
    bool is_whole;       /* all are integers, with exact distances in `exact` */
    double apart[GAPS];  /* |a - b| */
    double size_a[GAPS]; /* |a| */
    double size_b[GAPS]; /* |b| */
    uint64_t exact[GAPS];
};

/* Compares `count` elements, at most GAPS, of any types except strings, in the
 * form used in files (little-endian). Complex numbers are points in the plane.
 * Distances between integers that exceed 64 bits have the precision of a
 * double. */
void gaps_measure(struct gaps *gaps, varve_dtype dtype_a,
    const unsigned char *a, varve_dtype dtype_b, const unsigned char *b,
    size_t count);

#endif
