/* tally.h - the differences of numbers, summed up as pieces of them come.
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
    bool is_bitwise; /* elements are equal where all their bits are */
    bool has_place;
    bool is_whole; /* so far all distances are exact */
    uint64_t differing;
    uint64_t nans;
    uint64_t largest_whole;
    double largest;
    double largest_relative;
    double scale; /* the norm is scale * sqrt(squares) */
    double squares;
    uint64_t place;
    unsigned char a[16]; /* the element there */
    unsigned char b[16];
};

void tally_begin(struct tally *tally, const struct measure *measure,
    varve_dtype a, varve_dtype b);
void tally_piece(struct tally *tally, const struct stretch *piece);
void tally_end(const struct tally *tally, struct difference *difference);

#endif
