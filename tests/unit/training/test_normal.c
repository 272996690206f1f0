/* test_normal.c - Tests the inverse normal distribution function.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <math.h>

#include "golden/philox.h"
#include "normal.h"

TEST(normal, agrees_with_another_implementation)
{
    size_t count = sizeof golden_quantiles / sizeof *golden_quantiles;
    for (size_t i = 0; i < count; i++) {
        double x = vv_normal_quantile(golden_quantiles[i].p);
        cr_assert_leq(fabs(x - golden_quantiles[i].x), 2e-15 * fabs(x) + 1e-300,
            "%zu: %a, not %a", i, x, golden_quantiles[i].x);
    }
}

TEST(normal, is_the_inverse_of_the_distribution_function)
{
    for (int i = 1; i < 200000; i++) {
        double p = i < 100000 ? i * 1e-5 : pow(2, -(i - 100000) * 5.3e-4);
        if (p <= 0 || p >= 1)
            continue;
        double x = vv_normal_quantile(p);
        double back = 0.5 * erfc(-x / sqrt(2));
        /* A change of x in its last bit changes p by x * x of its last bits. */
        cr_assert_leq(fabs(back - p), (1 + x * x) * 2e-15 * p, "%a: %a", p, x);
    }
}

TEST(normal, is_odd_and_increasing)
{
    double last = -INFINITY;
    for (int i = 1; i < 4096; i++) {
        double p = i / 4096.0;
        double x = vv_normal_quantile(p);
        cr_assert_gt(x, last);
        cr_assert_eq(x, -vv_normal_quantile(1 - p));
        last = x;
    }
}
