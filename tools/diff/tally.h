/* tally.h - Accumulates the differences of two number sequences, piece by
 * piece.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_TALLY_H
#define TOOL_TALLY_H

#include "difference.h"
#include "abreast.h"

struct tally {
    const struct measure *measure;
    varve_dtype types[2];
    size_t widths[2];
    bool is_bitwise; /* elements are compared bitwise */
    bool has_place;
    bool is_whole; /* all distances so far are exact */
    uint64_t differing;
    uint64_t nans;
    uint64_t largest_whole;
    double largest;
    double largest_relative;
    double scale; /* the norm is scale * sqrt(squares) */
    double squares;
    uint64_t place;
    unsigned char a[16]; /* the element at `place` */
    unsigned char b[16];
};

void tally_begin(struct tally *tally, const struct measure *measure,
    varve_dtype a, varve_dtype b);
void tally_piece(struct tally *tally, const struct stretch *piece);
void tally_end(const struct tally *tally, struct difference *difference);

#endif
