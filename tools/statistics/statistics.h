/* statistics.h - Computes statistics of the elements of a value, or of a part
 * of it, with the memory of pieces.h.
 *
 * A bool counts as 0 or 1, a string as its length in bytes, a state as its
 * bytes, and a complex number as its magnitude (NaN if a part is NaN, otherwise
 * infinite if one is). NaN and infinities are counted; all other results are
 * for the finite elements.
 *
 * There are two passes over the elements: the first computes the extremes and a
 * center, the second the deviations from it and the histogram. Values that are
 * not in memory are read and verified twice. Elements of one byte, and large
 * numbers of elements of two bytes, are counted by value in a single pass.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_STATISTICS_H
#define TOOL_STATISTICS_H

#include <stdio.h>

#include "bins.h"
#include "element_text.h"
#include "pieces.h"

enum number_kind { NUMBER_REAL, NUMBER_SIGNED, NUMBER_UNSIGNED };

/* An element or a bound; integers are exact. */
struct number {
    enum number_kind kind;
    double real;  /* for all kinds, rounded to double */
    uint64_t key; /* for integers; 2^63 is added to signed ones */
};

struct statistics {
    uint64_t count; /* number of elements */
    /* number of finite elements; if 0, all following members are 0 */
    uint64_t finite;
    uint64_t zeros;
    uint64_t nans;
    uint64_t infinities;
    uint64_t first_nan; /* row-major index in the selection */
    uint64_t first_infinity;
    struct number least;
    struct number greatest;
    double mean;
    double deviation; /* square root of the mean square deviation */
    double norm;      /* square root of the sum of squares */
    unsigned bin_count;
    uint64_t bins[MOST_BINS]; /* as in bins.h */
    struct number bounds[MOST_BINS + 1];
};

/* Computes the statistics of the selected elements of an open value, with at
 * most `bin_count` bins, 1 to MOST_BINS. */
varve_status statistics_make(struct statistics *statistics,
    struct pieces *pieces, const struct selection *selection,
    unsigned bin_count, varve_error *error);

/* Computes the statistics of a whole value; opens and closes it. */
varve_status statistics_of(struct statistics *statistics, varve_reader *reader,
    const varve_saved_node *node, unsigned bin_count, varve_error *error);

/* Formats a number for JSON, or as text with six digits; returns `text`. */
const char *number_text(
    struct number number, bool for_json, char text[ELEMENT_TEXT_SIZE]);

/* Prints `"count":...,"min":...` and so on, except the histogram, without
 * braces. Values for finite elements are null if there are none. The position
 * of the first NaN is an array. */
void statistics_print_json(FILE *to, const struct statistics *statistics,
    const struct selection *selection);

/* Prints {"bounds":[...],"counts":[...]}. */
void histogram_print_json(FILE *to, const struct statistics *statistics);

/* Writes one character for each bin; "" if no element is finite. Returns
 * `text`. */
enum { SPARK_SIZE = 3 * MOST_BINS + 1 };
const char *spark_text(
    const struct statistics *statistics, bool utf8, char text[SPARK_SIZE]);

#endif
