/* histogram.c - Counts numbers in exponential buckets.
 *
 * SPDX-License-Identifier: MIT
 */
#include "histogram.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum { HALF = VV_MOST_BUCKETS / 2 }; /* number of limits below 0, and above 0 */

static void set_up(struct vv_histogram *h)
{
    memset(h, 0, sizeof *h);
    double *zero = h->limits + HALF;
    double limit = 1e-12;
    int i = 1;
    for (; limit < 1e20; limit *= 1.1, i++) {
        zero[i] = limit;
        zero[-i] = -limit;
    }
    assert(i == HALF);
    zero[i] = DBL_MAX;
    zero[-i] = -DBL_MAX;
}

/* Returns the first bucket whose limit is above the value, or the last bucket
 * for the largest number. */
static size_t histogram_bucket_of(const double *limits, double value)
{
    size_t low = 0;
    size_t high = VV_MOST_BUCKETS - 1;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (limits[middle] > value)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static void count_in(struct vv_histogram *h, double value)
{
    if (!isfinite(value)) {
        h->not_finite++;
        return;
    }
    if (h->count == 0 || value < h->min)
        h->min = value;
    if (h->count == 0 || value > h->max)
        h->max = value;
    h->count++;
    h->sum += value;
    h->sum_squares += value * value;
    h->counts[histogram_bucket_of(h->limits, value)]++;
}

/* Merges each run of empty buckets. */
static void compress(struct vv_histogram *h)
{
    size_t to = 0;
    for (size_t i = 0; i < VV_MOST_BUCKETS; i++) {
        bool joins = to > 0 && h->counts[i] == 0 && h->counts[to - 1] == 0;
        size_t at = joins ? to - 1 : to++;
        h->limits[at] = h->limits[i];
        h->counts[at] = h->counts[i];
    }
    h->bucket_count = to;
}

void vv_histogram_of_floats(
    struct vv_histogram *h, const float *values, size_t count)
{
    set_up(h);
    for (size_t i = 0; i < count; i++)
        count_in(h, (double)values[i]);
    compress(h);
}

void vv_histogram_of_doubles(
    struct vv_histogram *h, const double *values, size_t count)
{
    set_up(h);
    for (size_t i = 0; i < count; i++)
        count_in(h, values[i]);
    compress(h);
}
