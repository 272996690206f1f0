/* bins.c - Estimates a bin arithmetically, and corrects it by comparisons.
 *
 * SPDX-License-Identifier: MIT
 */
#include "bins.h"

#include <math.h>

static double scale_for(double low, double high)
{
    int exponent;
    low = fabs(low);
    high = fabs(high);
    frexp(low > high ? low : high, &exponent);
    return ldexp(1, -(exponent < -1000 ? -1000 : exponent));
}

/* Prepares the estimates; the bounds must be set. */
static void begin(struct bins *b)
{
    double low = b->bounds[0], high = b->bounds[b->count];
    b->scale = scale_for(low, high);
    b->low = low * b->scale;
    double width = high * b->scale - b->low;
    b->scale *= width > 0 ? (double)b->count / width : 0;
    b->low = low * b->scale;
}

void bins_begin_reals(struct bins *b, double low, double high, unsigned most)
{
    *b = (struct bins){ .count = low < high ? most : 1 };
    for (unsigned i = 0; i < b->count; i++) {
        double part = (double)i / (double)b->count;
        b->bounds[i] = isfinite(high - low) ? low + (high - low) * part
                                            : low * (1 - part) + high * part;
    }
    b->bounds[b->count] = high;
    begin(b);
}

void bins_begin_keys(
    struct bins *b, uint64_t low, uint64_t high, uint64_t bias, unsigned most)
{
    uint64_t range = high - low; /* number of keys minus 1 */
    *b = (struct bins){ .count = range < most ? (unsigned)range + 1 : most };
    uint64_t step = range / b->count, rest = range % b->count + 1;
    if (rest == b->count) {
        step++;
        rest = 0;
    }
    for (unsigned i = 0; i <= b->count; i++) {
        uint64_t key = low + i * step + i * rest / b->count;
        b->keys[i] = i < b->count ? key : high;
        b->bounds[i] = b->keys[i] < bias ? -(double)(bias - b->keys[i])
                                         : (double)(b->keys[i] - bias);
    }
    b->factor = range ? (double)b->count / ((double)range + 1) : 0;
    begin(b);
}

static unsigned bin_of(const struct bins *b, double x)
{
    double guess = x * b->scale - b->low;
    unsigned last = b->count - 1;
    unsigned i = guess < (double)last ? guess > 0 ? (unsigned)guess : 0 : last;
    while (i > 0 && x < b->bounds[i])
        i--;
    while (i < last && x >= b->bounds[i + 1])
        i++;
    return i;
}

void bins_add_reals(struct bins *b, const double *x, size_t count)
{
    for (size_t i = 0; i < count; i++)
        b->counts[bin_of(b, x[i])]++;
}

void bins_add_times(struct bins *b, double real, uint64_t count)
{
    b->counts[bin_of(b, real)] += count;
}

void bins_add_keys(struct bins *b, const uint64_t *keys, size_t count)
{
    unsigned last = b->count - 1;
    for (size_t i = 0; i < count; i++) {
        double guess = (double)(keys[i] - b->keys[0]) * b->factor;
        unsigned bin = guess < (double)last ? (unsigned)guess : last;
        while (bin > 0 && keys[i] < b->keys[bin])
            bin--;
        while (bin < last && keys[i] >= b->keys[bin + 1])
            bin++;
        b->counts[bin]++;
    }
}
