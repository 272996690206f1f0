/* cells.h - elements as text of one width, as NumPy prints them: what they need
 * is found out from all that are shown, and then each is printed.
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

/* Of reals, or of one part of complex numbers. */
struct real_cells {
    varve_dtype dtype;
    unsigned precision;
    bool signs;   /* a plus is written */
    bool is_wide; /* an exponent is */
    double least; /* magnitudes that are not 0; 0: none */
    double most;
    bool any_finite;
    bool any_special; /* NaN, infinities */
    bool any_minus;   /* -inf */
    int left;         /* columns before the point */
    int right;        /* behind it */
    int exponent;     /* digits of exponents */
};

struct cells {
    varve_dtype dtype;
    struct real_cells reals[2]; /* the second of imaginary parts */
    int width;                  /* of other types */
    size_t most_bytes;          /* of a string that are shown */
};

enum { CELL_SIZE = 1024 };

void cells_begin(struct cells *cells, varve_dtype dtype, unsigned precision);
void cells_measure(
    struct cells *cells, const unsigned char *bytes, uint64_t count);
void cells_fit(struct cells *cells, const unsigned char *bytes, uint64_t count);

/* Of one element; not of a string. Returns `text`. */
const char *cell_text(const struct cells *cells, const unsigned char *bytes,
    char text[CELL_SIZE]);

/* A string in quotes, what is not UTF-8 or steers a terminal as \xXX; of more
 * than `most` bytes the beginning. Returns the columns that it takes. */
size_t print_quoted(FILE *to, const varve_string *string, uint64_t most);

#endif
