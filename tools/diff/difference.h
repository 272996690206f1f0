/* difference.h - what two values of a pair have not in common.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_DIFFERENCE_H
#define TOOL_DIFFERENCE_H

#include "element_text.h"
#include "progress_bar.h"
#include "side.h"

/* How closely values are compared. */
struct measure {
    double tolerance; /* |a - b| <= tolerance + relative * |b| will do */
    double relative;
    bool is_tolerant;  /* either was given */
    bool any_type;     /* numbers of different types are compared */
    bool nan_differs;  /* from NaN, too */
    bool only_whether; /* the first difference is enough */
};

enum verdict {
    VERDICT_EQUAL,
    VERDICT_CHANGED,
    VERDICT_INCOMPARABLE, /* `why` says it */
    VERDICT_DAMAGED       /* `error` says it, `is_of_b` of which */
};

struct difference {
    enum verdict verdict;
    bool was_read; /* else it is by digest, type or shape */
    bool has_gaps; /* these are numbers, and what follows is known */
    uint64_t elements;
    uint64_t differing; /* elements that are not close enough */
    uint64_t nans;      /* elements that are NaN in one of the two alone */
    bool is_exact;      /* the largest distance is `largest_whole` */
    uint64_t largest_whole;
    double largest;          /* |a - b| */
    double largest_relative; /* |a - b| over the larger of |a| and |b| */
    double norm;             /* Euclidean, of a - b */
    uint64_t place; /* the element of the largest distance, or the first
                       that differs */
    char a[ELEMENT_TEXT_SIZE]; /* that element as JSON; "" where it has none */
    char b[ELEMENT_TEXT_SIZE];
    char why[200]; /* in a few words; "" where all is plain */
    varve_error error;
    bool is_of_b;
};

/* How many bytes have to be read for it. */
uint64_t difference_cost(const struct measure *measure, const struct side *a,
    const varve_saved_node *x, const struct side *b, const varve_saved_node *y);

/* What has been read so far, for the bar. */
struct reading {
    struct progress_bar *bar;
    uint64_t done;
    uint64_t total;
};

/* Compares the values of two nodes; in pieces, so that it takes a few MiB,
 * but for strings, and what its format gives only as a whole. */
void difference_find(struct difference *difference,
    const struct measure *measure, const struct side *a,
    const varve_saved_node *x, const struct side *b, const varve_saved_node *y,
    struct reading *reading);

#endif
