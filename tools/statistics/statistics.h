/* statistics.h - what can be said of the elements of a value, or of a part of
 * it, in the memory of pieces.h.
 *
 * Of a bool it is that of 0 and 1, of a string that of its length in bytes, of
 * a state that of its bytes, of a complex number that of its magnitude (NaN
 * where a part is NaN, else infinite where one is). NaN and infinities are
 * counted; all else is said of the finite elements.
 *
 * Elements are looked at twice: for the extremes and a center, then for the
 * deviations from that and for the histogram; what is not in memory is read and
 * verified twice. Those of one byte, and many of two, are counted by what they
 * are, once.
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

/* An element, or a bound: integers exactly. */
struct number {
    enum number_kind kind;
    double real;  /* of all, as near as a double is */
    uint64_t key; /* of integers; signed ones plus 2^63 */
};

struct statistics {
    uint64_t count;  /* of elements */
    uint64_t finite; /* of them; where it is 0 what is below is 0 too */
    uint64_t zeros;
    uint64_t nans;
    uint64_t infinities;
    uint64_t first_nan; /* row-major index in what was selected */
    uint64_t first_infinity;
    struct number least;
    struct number greatest;
    double mean;
    double deviation; /* the root of the mean square of deviations from it */
    double norm;      /* the root of the sum of squares */
    unsigned bin_count;
    uint64_t bins[MOST_BINS]; /* as bins.h has them */
    struct number bounds[MOST_BINS + 1];
};

/* Of what is selected of an open value, with `bin_count` bins at most, 1 to
 * MOST_BINS. */
varve_status statistics_make(struct statistics *statistics,
    struct pieces *pieces, const struct selection *selection,
    unsigned bin_count, varve_error *error);

/* Of a whole value, opened and closed. */
varve_status statistics_of(struct statistics *statistics, varve_reader *reader,
    const varve_saved_node *node, unsigned bin_count, varve_error *error);

/* As JSON writes it, or for people with six digits; returns `text`. */
const char *number_text(
    struct number number, bool for_json, char text[ELEMENT_TEXT_SIZE]);

/* Prints `"count":...,"min":...` and so on, all but the histogram, without
 * braces; what is of finite elements is null where there are none. Of the first
 * NaN its place in the value, as an array. */
void statistics_print_json(FILE *to, const struct statistics *statistics,
    const struct selection *selection);

/* Prints {"bounds":[...],"counts":[...]}. */
void histogram_print_json(FILE *to, const struct statistics *statistics);

/* One character for each bin; "" where nothing is finite. */
enum { SPARK_SIZE = 3 * MOST_BINS + 1 };
const char *spark_text(
    const struct statistics *statistics, bool utf8, char text[SPARK_SIZE]);

#endif
