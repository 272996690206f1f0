/* histogram.h - Computes histograms in the form that TensorBoard displays.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_HISTOGRAM_H
#define VV_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { VV_MOST_BUCKETS = 1551 };

/* A histogram of the finite numbers; others are only counted. Bucket i counts
 * the numbers in [limits[i - 1], limits[i]). Without numbers, min and max are
 * 0. */
struct vv_histogram {
    double min, max, sum, sum_squares;
    uint64_t count;
    uint64_t not_finite;
    size_t bucket_count; /* at least 1 */
    double limits[VV_MOST_BUCKETS];
    double counts[VV_MOST_BUCKETS];
};

/* Count into buckets whose limits grow by 10 % each, from 1e-12 to 1e20 on both
 * sides of 0, and merge runs of empty buckets: the buckets of TensorFlow
 * (core/lib/histogram/histogram.cc). */
void vv_histogram_of_floats(
    struct vv_histogram *h, const float *values, size_t count);
void vv_histogram_of_doubles(
    struct vv_histogram *h, const double *values, size_t count);

#endif
