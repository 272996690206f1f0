/* test_event_message_histogram.c - Tests histograms.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <float.h>
#include <math.h>

#include "event_message.h"

static struct vv_histogram h;

/* Returns the count of the bucket of a value. */
static double count_at(double value)
{
    for (size_t i = 0; i < h.bucket_count; i++)
        if (value < h.limits[i] || i + 1 == h.bucket_count)
            return h.counts[i];
    return -1;
}

static double count_of_all(void)
{
    double sum = 0;
    for (size_t i = 0; i < h.bucket_count; i++) {
        sum += h.counts[i];
        cr_assert(i == 0 || h.limits[i] > h.limits[i - 1]);
        cr_assert(i == 0 || h.counts[i] > 0 || h.counts[i - 1] > 0,
            "two empty buckets in a row");
    }
    return sum;
}

TEST(histogram, computes_statistics_of_its_values)
{
    static const double values[] = { 3, -1, 0.5, 0.5 };
    vv_histogram_of_doubles(&h, values, 4);
    cr_assert_eq(h.count, 4);
    cr_assert_eq(h.min, -1);
    cr_assert_eq(h.max, 3);
    cr_assert_eq(h.sum, 3);
    cr_assert_eq(h.sum_squares, 10.5);
    cr_assert_eq(h.not_finite, 0);
    cr_assert_eq(count_of_all(), 4);
    cr_assert_eq(count_at(0.5), 2);
    cr_assert_eq(count_at(3), 1);
    cr_assert_eq(count_at(-1), 1);
    cr_assert_eq(count_at(1), 0);
}

TEST(histogram, has_limits_that_grow_by_a_tenth)
{
    double value = 1e-12;
    for (int i = 0; i < 774 && value < 9e19; i++, value *= 1.1) {
        double pair[] = { value, -value };
        vv_histogram_of_doubles(&h, pair, 2);
        cr_assert_eq(count_of_all(), 2);
        cr_assert_eq(h.bucket_count, 5, "%g: %zu", value, h.bucket_count);
        cr_assert_eq(h.limits[1], -value < -1e-12 ? h.limits[1] : 0);
        /* A limit belongs to the bucket above it. */
        cr_assert_eq(h.limits[2], value);
        cr_assert_gt(h.limits[3], value);
    }
}

TEST(histogram, excludes_and_counts_values_that_are_not_finite)
{
    static const float values[] = { 1, NAN, INFINITY, -INFINITY, 2 };
    vv_histogram_of_floats(&h, values, 5);
    cr_assert_eq(h.count, 2);
    cr_assert_eq(h.not_finite, 3);
    cr_assert_eq(h.min, 1);
    cr_assert_eq(h.max, 2);
    cr_assert_eq(h.sum, 3);
    cr_assert_eq(count_of_all(), 2);
}

TEST(histogram, of_no_values_has_one_empty_bucket)
{
    static const float nan[] = { NAN };
    for (size_t count = 0; count < 2; count++) {
        vv_histogram_of_floats(&h, count ? nan : NULL, count);
        cr_assert_eq(h.bucket_count, 1);
        cr_assert_eq(h.counts[0], 0);
        cr_assert_eq(h.limits[0], DBL_MAX);
        cr_assert_eq(h.min, 0);
        cr_assert_eq(h.max, 0);
        cr_assert_eq(h.not_finite, count);
    }
}

TEST(histogram, has_a_bucket_for_every_finite_number)
{
    static const double values[] = { DBL_MAX, -DBL_MAX, 0, -0.0, DBL_MIN,
        5e-324, -5e-324, 1e-12, -1e-12, 1e20, -1e20, 1e21, -1e300 };
    size_t count = sizeof values / sizeof *values;
    vv_histogram_of_doubles(&h, values, count);
    cr_assert_eq(count_of_all(), (double)count);
    cr_assert_eq(h.min, -DBL_MAX);
    cr_assert_eq(h.max, DBL_MAX);
    for (size_t i = 0; i < count; i++)
        cr_assert_gt(count_at(values[i]), 0, "%g", values[i]);
}
