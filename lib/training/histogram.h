/* histogram.h - many numbers as the counts that TensorBoard draws.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_HISTOGRAM_H
#define VV_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { VV_MOST_BUCKETS = 1551 };

/* Of the finite numbers; those that are not are only counted. Bucket i holds
 * what is in [limits[i - 1], limits[i]). Without any number min and max are
 * 0. */
struct vv_histogram {
    double min, max, sum, sum_squares;
    uint64_t count;
    uint64_t not_finite;
    size_t bucket_count; /* at least 1 */
    double limits[VV_MOST_BUCKETS];
    double counts[VV_MOST_BUCKETS];
};

/* Counts into buckets whose limits grow by a tenth each, from 1e-12 to 1e20 on
 * both sides of 0, then takes runs of empty ones together: the buckets of
 * TensorFlow (core/lib/histogram/histogram.cc). */
void vv_histogram_of_floats(
    struct vv_histogram *h, const float *values, size_t count);
void vv_histogram_of_doubles(
    struct vv_histogram *h, const double *values, size_t count);

#endif
