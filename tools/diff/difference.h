/* difference.h - Compares a pair of values.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_DIFFERENCE_H
#define TOOL_DIFFERENCE_H

#include "element_text.h"
#include "progress_bar.h"
#include "side.h"

/* The options of a comparison. */
struct measure {
    /* a - b| <= tolerance + relative * |b| counts as equal */
    double tolerance;
    double relative;
    bool is_tolerant;  /* one of them was given */
    bool any_type;     /* compare numbers of different types */
    bool nan_differs;  /* NaN differs from NaN */
    bool only_whether; /* stop at the first difference */
};

enum verdict {
    VERDICT_EQUAL,
    VERDICT_CHANGED,
    VERDICT_INCOMPARABLE, /* `why` contains the reason */
    VERDICT_DAMAGED       /* `error` contains the damage, `is_of_b` the side */
};

struct difference {
    enum verdict verdict;
    bool was_read; /* otherwise decided by digest, type or shape */
    /* the values are numbers, and the following members are set */
    bool has_gaps;
    uint64_t elements;
    uint64_t differing; /* number of elements that are not close enough */
    uint64_t nans; /* number of elements that are NaN in one of the two only */
    bool is_exact; /* the largest distance is `largest_whole` */
    uint64_t largest_whole;
    double largest;          /* |a - b| */
    double largest_relative; /* |a - b| over the larger of |a| and |b| */
    double norm;             /* Euclidean norm of a - b */
    /* index of the element with the largest distance, or of the first that
     * differs */
    uint64_t place;
    char a[ELEMENT_TEXT_SIZE]; /* that element as JSON, or "" */
    char b[ELEMENT_TEXT_SIZE];
    char why[200]; /* short reason, or "" */
    varve_error error;
    bool is_of_b;
};

/* Returns the number of bytes that must be read. */
uint64_t difference_cost(const struct measure *measure, const struct side *a,
    const varve_saved_node *x, const struct side *b, const varve_saved_node *y);

/* The state of the progress bar. */
struct reading {
    struct progress_bar *bar;
    uint64_t done;
    uint64_t total;
};

/* Compares the values of two nodes piece by piece, with a few MiB of memory,
 * except for strings and values that their format provides only as a whole. */
void difference_find(struct difference *difference,
    const struct measure *measure, const struct side *a,
    const varve_saved_node *x, const struct side *b, const varve_saved_node *y,
    struct reading *reading);

#endif
