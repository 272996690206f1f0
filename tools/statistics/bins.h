/* bins.h - how many elements lie where: from the least to the greatest, in
 * equal steps as near as the type has them.
 *
 * Bin i has what is at least bounds[i] and less than bounds[i + 1]; the last
 * one what is its upper bound too. Elements are compared with the bounds as
 * they are, so that the counts are exact. Of integers the bounds are integers,
 * and there are no more bins than integers between the extremes.
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
    uint64_t keys[MOST_BINS + 1]; /* of integers, biased, the same */
    double scale;                 /* the position of x is x * scale - low */
    double low;
    double factor; /* of keys: bins for one */
    uint64_t counts[MOST_BINS];
};

/* `most` bins, or fewer. */
void bins_begin_reals(
    struct bins *bins, double low, double high, unsigned most);

/* Of integers; where `bias` is not 0, bounds has them without it. */
void bins_begin_keys(struct bins *bins, uint64_t low, uint64_t high,
    uint64_t bias, unsigned most);

/* All lie between the extremes. */
void bins_add_reals(struct bins *bins, const double *reals, size_t count);
void bins_add_keys(struct bins *bins, const uint64_t *keys, size_t count);
void bins_add_times(struct bins *bins, double real, uint64_t count);

#endif
