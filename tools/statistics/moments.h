/* moments.h - what is summed over the elements of a value: on a first pass
 * counts, the extremes and a center; on a second, deviations from that center.
 *
 * The second pass is the corrected two-pass algorithm (Chan, Golub, LeVeque,
 * Algorithms for computing the sample variance, 1983), in numbers scaled by a
 * power of two, so that nothing overflows or vanishes that the result holds.
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
    uint64_t first_nan; /* how many elements stand before it */
    uint64_t first_infinity;
    double low; /* of reals; of finite ones, as all that follows */
    double high;
    double sum; /* times 2^-64; of integers, with the rest, exact */
    double sum_rest;
    bool is_whole;    /* to fill in: reals are integers of 32 bits at most */
    uint64_t low_key; /* of keys */
    uint64_t high_key;
    uint64_t sum_low; /* exact, of 128 bits */
    uint64_t sum_high;
};

void extent_begin(struct extent *extent);

/* Adds `count` elements, of which `before` came before; those that are not
 * finite are taken out of `reals`, and how many are left is returned. */
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

/* All finite. */
void moments_add_reals(
    struct moments *moments, const double *reals, size_t count);
void moments_add_keys(
    struct moments *moments, const uint64_t *keys, size_t count);

/* One real that stands `count` times. */
void moments_add_times(struct moments *moments, double real, uint64_t count);

struct summary {
    double mean;
    double deviation; /* the root of the mean square of deviations */
    double norm;      /* the root of the sum of squares */
};

struct summary moments_of_reals(
    const struct moments *moments, const struct extent *extent);

/* `bias` is what was added to each key. */
struct summary moments_of_keys(
    const struct moments *moments, const struct extent *extent, uint64_t bias);

#endif
