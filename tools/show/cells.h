/* cells.h - Formats elements with equal width like NumPy. The width is
 * determined from all elements shown, and then each is printed.
 *
 *     cells_begin(&cells, dtype, precision);
 *     cells_measure(&cells, bytes, count); ...     all, once
 *     cells_fit(&cells, bytes, count); ...         and once more
 *     cell_text(&cells, bytes, text); ...
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_CELLS_H
#define TOOL_CELLS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <varve/tensor.h>

/* The format of reals, or of one part of complex numbers. */
struct real_cells {
    varve_dtype dtype;
    unsigned precision;
    bool signs;   /* print a plus sign */
    bool is_wide; /* use exponents */
    double least; /* smallest nonzero magnitude; 0: none */
    double most;
    bool any_finite;
    bool any_special; /* NaN or infinity */
    bool any_minus;   /* -inf */
    int left;         /* columns before the point */
    int right;        /* columns after the point */
    int exponent;     /* digits of exponents */
};

struct cells {
    varve_dtype dtype;
    struct real_cells reals[2]; /* the second one is for imaginary parts */
    int width;                  /* for other types */
    size_t most_bytes;          /* of a string; more are not shown */
};

enum { CELL_SIZE = 1024 };

void cells_begin(struct cells *cells, varve_dtype dtype, unsigned precision);
void cells_measure(
    struct cells *cells, const unsigned char *bytes, uint64_t count);
void cells_fit(struct cells *cells, const unsigned char *bytes, uint64_t count);

/* Formats one element, not a string. Returns `text`. */
const char *cell_text(const struct cells *cells, const unsigned char *bytes,
    char text[CELL_SIZE]);

/* Prints a string in quotes, with invalid UTF-8 and control characters as \xXX;
 * of more than `most` bytes only the start. Returns the number of columns. */
size_t print_quoted(FILE *to, const varve_string *string, uint64_t most);

#endif
