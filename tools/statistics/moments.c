/* moments.c - Computes sums in separate lanes, which compilers can vectorize.
 *
 * SPDX-License-Identifier: MIT
 */
#include "moments.h"

#include <float.h>
#include <math.h>

enum { LANES = 8 };

/* Adds to a sum and accumulates its rounding error. */
static void add_to(double *sum, double *rest, double x)
{
    double before = *sum;
    *sum += x;
    *rest +=
        fabs(before) >= fabs(x) ? (before - *sum) + x : (x - *sum) + before;
}

/* --- First pass --------------------------------------------------------- */

void extent_begin(struct extent *e)
{
    *e = (struct extent){ .low = (double)INFINITY,
        .high = -(double)INFINITY,
        .low_key = UINT64_MAX };
}

/* Returns true if all numbers are finite. Others give NaN if multiplied by
 * 0. */
static bool all_finite(const double *x, size_t count)
{
    double lanes[LANES] = { 0 };
    double all = 0;
    size_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        for (size_t l = 0; l < LANES; l++)
            lanes[l] += x[i + l] * 0;
    }
    for (size_t l = 0; l < LANES; l++)
        all += lanes[l];
    for (; i < count; i++)
        all += x[i] * 0;
    return !isnan(all);
}

static size_t take_out(
    struct extent *e, double *x, size_t count, uint64_t before)
{
    size_t left = 0;
    for (size_t i = 0; i < count; i++) {
        if (isnan(x[i])) {
            if (e->nans++ == 0)
                e->first_nan = before + i;
        } else if (isinf(x[i])) {
            if (e->infinities++ == 0)
                e->first_infinity = before + i;
        } else {
            x[left++] = x[i];
        }
    }
    return left;
}

static void add_one(struct extent *e, double x)
{
    e->low = x < e->low ? x : e->low;
    e->high = x > e->high ? x : e->high;
    e->zeros += fabs(x) < DBL_TRUE_MIN;
    add_to(&e->sum, &e->sum_rest, x * 0x1p-64);
}

static void add_lanes(struct extent *e, const double *x, size_t count)
{
    double low[LANES], high[LANES], sum[LANES];
    uint64_t zeros[LANES];
    for (size_t l = 0; l < LANES; l++) {
        low[l] = e->low;
        high[l] = e->high;
        sum[l] = 0;
        zeros[l] = 0;
    }
    for (size_t i = 0; i < count; i += LANES) {
        for (size_t l = 0; l < LANES; l++) {
            low[l] = x[i + l] < low[l] ? x[i + l] : low[l];
            high[l] = x[i + l] > high[l] ? x[i + l] : high[l];
            sum[l] += x[i + l] * 0x1p-64;
            zeros[l] += fabs(x[i + l]) < DBL_TRUE_MIN;
        }
    }
    for (size_t l = 0; l < LANES; l++) {
        e->low = low[l] < e->low ? low[l] : e->low;
        e->high = high[l] > e->high ? high[l] : e->high;
        add_to(&e->sum, &e->sum_rest, sum[l]);
        e->zeros += zeros[l];
    }
}

size_t extent_add_reals(
    struct extent *e, double *x, size_t count, uint64_t before)
{
    if (!all_finite(x, count))
        count = take_out(e, x, count, before);
    size_t even = count - count % LANES;
    add_lanes(e, x, even);
    for (size_t i = even; i < count; i++)
        add_one(e, x[i]);
    e->finite += count;
    return count;
}

/* Sums the halves separately, so that less than 2^32 keys do not overflow. */
void extent_add_keys(struct extent *e, const uint64_t *keys, size_t count)
{
    uint64_t low = 0, high = 0;
    for (size_t i = 0; i < count; i++) {
        e->low_key = keys[i] < e->low_key ? keys[i] : e->low_key;
        e->high_key = keys[i] > e->high_key ? keys[i] : e->high_key;
        low += keys[i] & UINT32_MAX;
        high += keys[i] >> 32;
    }
    uint64_t sum = low + (high << 32);
    e->sum_high += (high >> 32) + (sum < low);
    e->sum_low += sum;
    e->sum_high += e->sum_low < sum;
    e->finite += count;
}

/* --- Second pass -------------------------------------------------------- */

static double between(double low, double x, double high)
{
    return x < low ? low : x > high ? high : x;
}

static double sum_mean(const struct extent *e)
{
    return (e->sum + e->sum_rest) / (double)e->finite * 0x1p64;
}

void moments_begin_reals(struct moments *m, const struct extent *e)
{
    int exponent;
    double low = fabs(e->low), high = fabs(e->high);
    *m = (struct moments){ .scale = 1 };
    if (e->finite == 0)
        return;
    frexp(low > high ? low : high, &exponent);
    exponent = exponent < -1000 ? -1000 : exponent;
    m->scale = ldexp(1, -exponent);
    m->center = between(e->low, sum_mean(e), e->high);
}

static double wide(uint64_t high, uint64_t low)
{
    return (double)high * 0x1p64 + (double)low;
}

void moments_begin_keys(struct moments *m, const struct extent *e)
{
    *m = (struct moments){ .scale = 1, .center_key = e->low_key };
    if (e->finite == 0)
        return;
    double mean = wide(e->sum_high, e->sum_low) / (double)e->finite;
    uint64_t key = mean < 0x1p64 ? (uint64_t)mean : UINT64_MAX;
    m->center_key = key < e->low_key    ? e->low_key
                    : key > e->high_key ? e->high_key
                                        : key;
}

static void add_sums(struct moments *m, double first, double second)
{
    add_to(&m->first, &m->first_rest, first);
    add_to(&m->second, &m->second_rest, second);
}

void moments_add_reals(struct moments *m, const double *x, size_t count)
{
    double first[LANES] = { 0 }, second[LANES] = { 0 };
    double scale = m->scale, center = m->center * m->scale;
    size_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        for (size_t l = 0; l < LANES; l++) {
            double d = x[i + l] * scale - center;
            first[l] += d;
            second[l] += d * d;
        }
    }
    for (; i < count; i++) {
        double d = x[i] * scale - center;
        first[i % LANES] += d;
        second[i % LANES] += d * d;
    }
    for (size_t half = LANES / 2; half > 0; half /= 2) {
        for (size_t l = 0; l < half; l++) {
            first[l] += first[l + half];
            second[l] += second[l + half];
        }
    }
    add_sums(m, first[0], second[0]);
}

void moments_add_keys(struct moments *m, const uint64_t *keys, size_t count)
{
    double first = 0, second = 0;
    for (size_t i = 0; i < count; i++) {
        double d = keys[i] < m->center_key ? -(double)(m->center_key - keys[i])
                                           : (double)(keys[i] - m->center_key);
        first += d;
        second += d * d;
    }
    add_sums(m, first, second);
}

void moments_add_times(struct moments *m, double real, uint64_t count)
{
    double d = real * m->scale - m->center * m->scale;
    add_sums(m, d * (double)count, d * d * (double)count);
}

/* --- Results ------------------------------------------------------------ */

/* Computes the results from a scaled mean and sums of deviations from the
 * center. */
static struct summary summary_of(
    const struct moments *m, double count, double mean)
{
    double first = m->first + m->first_rest;
    double second = m->second + m->second_rest - first * (first / count);
    if (second < 0)
        second = 0;
    return (struct summary){ .mean = mean / m->scale,
        .deviation = sqrt(second / count) / m->scale,
        .norm = sqrt(second + count * mean * mean) / m->scale };
}

struct summary moments_of_reals(const struct moments *m, const struct extent *e)
{
    double count = (double)e->finite;
    if (e->finite == 0)
        return (struct summary){ .mean = 0 };
    double rest = (m->first + m->first_rest) / count;
    struct summary s = summary_of(m, count, m->center * m->scale + rest);
    double mean = e->is_whole ? sum_mean(e) : m->center + rest / m->scale;
    s.mean = between(e->low, mean, e->high);
    return s;
}

struct summary moments_of_keys(
    const struct moments *m, const struct extent *e, uint64_t bias)
{
    if (e->finite == 0)
        return (struct summary){ .mean = 0 };
    /* The total bias, with 128 bits, is 0 or n * 2^63. */
    uint64_t low = bias ? e->finite << 63 : 0;
    uint64_t high = bias ? e->finite >> 1 : 0;
    bool is_less =
        e->sum_high < high || (e->sum_high == high && e->sum_low < low);
    uint64_t a = is_less ? low : e->sum_low, b = is_less ? e->sum_low : low;
    uint64_t top = is_less ? high - e->sum_high : e->sum_high - high;
    double sum = wide(top - (a < b), a - b);
    double count = (double)e->finite;
    return summary_of(m, count, (is_less ? -sum : sum) / count);
}
