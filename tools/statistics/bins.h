/* bins.h - A histogram from the smallest to the largest element, with equal
 * steps as far as the type permits.
 *
 * Bin i counts elements that are at least bounds[i] and less than bounds[i +
 * 1]; the last bin includes its upper bound. Elements are compared with the
 * bounds exactly, so the counts are exact. For integers the bounds are
 * integers, and there are at most as many bins as integers in the range.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_BINS_H
#define TOOL_BINS_H

#include <stddef.h>
#include <stdint.h>

enum { MOST_BINS = 64 };

struct bins {
    unsigned count;
    double bounds[MOST_BINS + 1];
    uint64_t keys[MOST_BINS + 1]; /* for integers: the bounds, biased */
    double scale;                 /* the position of x is x * scale - low */
    double low;
    double factor; /* bins per key */
    uint64_t counts[MOST_BINS];
};

/* Makes at most `most` bins. */
void bins_begin_reals(
    struct bins *bins, double low, double high, unsigned most);

/* For integers. `bias` is subtracted from the keys in `bounds`. */
void bins_begin_keys(struct bins *bins, uint64_t low, uint64_t high,
    uint64_t bias, unsigned most);

/* All elements must be between `low` and `high`. */
void bins_add_reals(struct bins *bins, const double *reals, size_t count);
void bins_add_keys(struct bins *bins, const uint64_t *keys, size_t count);
void bins_add_times(struct bins *bins, double real, uint64_t count);

#endif
