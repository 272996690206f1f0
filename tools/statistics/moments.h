/* moments.h - Accumulates sums over the elements of a value: in the first pass
 * counts, extremes and a center, in the second pass deviations from that
 * center.
 *
 * The second pass is the corrected two-pass algorithm (Chan, Golub, LeVeque,
 * Algorithms for computing the sample variance, 1983). Numbers are scaled by a
 * power of two to avoid overflow and underflow.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_MOMENTS_H
#define TOOL_MOMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct extent {
    uint64_t finite;
    uint64_t zeros;
    uint64_t nans;
    uint64_t infinities;
    uint64_t first_nan; /* number of elements before it */
    uint64_t first_infinity;
    double low; /* of finite reals, as all following members */
    double high;
    double sum; /* times 2^-64; for integers exact together with the rest */
    double sum_rest;
    bool is_whole;    /* to fill in: reals are integers of at most 32 bits */
    uint64_t low_key; /* of keys */
    uint64_t high_key;
    uint64_t sum_low; /* exact, 128 bits */
    uint64_t sum_high;
};

void extent_begin(struct extent *extent);

/* Adds `count` elements, which follow `before` others. Removes those that are
 * not finite from `reals`, and returns the number of the others. */
size_t extent_add_reals(
    struct extent *extent, double *reals, size_t count, uint64_t before);

void extent_add_keys(struct extent *extent, const uint64_t *keys, size_t count);

struct moments {
    double center; /* of reals */
    uint64_t center_key;
    double scale;
    double first, first_rest; /* sum of deviations, times scale */
    double second, second_rest;
};

void moments_begin_reals(struct moments *moments, const struct extent *extent);
void moments_begin_keys(struct moments *moments, const struct extent *extent);

/* All must be finite. */
void moments_add_reals(
    struct moments *moments, const double *reals, size_t count);
void moments_add_keys(
    struct moments *moments, const uint64_t *keys, size_t count);

/* Adds one real `count` times. */
void moments_add_times(struct moments *moments, double real, uint64_t count);

struct summary {
    double mean;
    double deviation; /* square root of the mean square deviation */
    double norm;      /* square root of the sum of squares */
};

struct summary moments_of_reals(
    const struct moments *moments, const struct extent *extent);

/* `bias` was added to each key. */
struct summary moments_of_keys(
    const struct moments *moments, const struct extent *extent, uint64_t bias);

#endif
