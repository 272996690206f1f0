/* gaps.c - Converts numbers of any type to doubles or integers, and computes
 * their distances.
 *
 * SPDX-License-Identifier: MIT
 */
#include "gaps.h"

#include <math.h>

#include "reals.h"

/* A sequence of elements: integers as sign and magnitude, all others as
 * doubles. */
struct run {
    bool is_whole;
    bool is_complex;
    double real[GAPS];
    double imaginary[GAPS]; /* if is_complex */
    uint64_t size[GAPS];
    bool is_negative[GAPS];
};

/* --- Loading ------------------------------------------------------------ */

static uint64_t load(const unsigned char *bytes, size_t size)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++)
        value |= (uint64_t)bytes[i] << (8 * i);
    return value;
}

static void load_whole(
    struct run *r, varve_dtype dtype, const unsigned char *at, size_t count)
{
    size_t width = varve_dtype_size(dtype);
    bool is_signed = dtype >= VARVE_INT8 && dtype <= VARVE_INT64;
    uint64_t sign = is_signed ? UINT64_C(1) << (8 * width - 1) : 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t value = load(at + i * width, width);
        r->is_negative[i] = (value & sign) != 0;
        r->size[i] = r->is_negative[i] ? (~value + 1) & (2 * sign - 1) : value;
        double size = (double)r->size[i];
        r->real[i] = r->is_negative[i] ? -size : size;
    }
}

static void load_complex(
    struct run *r, varve_dtype dtype, const unsigned char *at, size_t count)
{
    double parts[2 * GAPS];
    reals_from(dtype == VARVE_COMPLEX64 ? VARVE_FLOAT32 : VARVE_FLOAT64, at,
        2 * count, parts);
    for (size_t i = 0; i < count; i++) {
        r->real[i] = parts[2 * i];
        r->imaginary[i] = parts[2 * i + 1];
    }
}

static void load_run(
    struct run *r, varve_dtype dtype, const unsigned char *at, size_t count)
{
    r->is_whole = dtype <= VARVE_UINT64;
    r->is_complex = dtype == VARVE_COMPLEX64 || dtype == VARVE_COMPLEX128;
    if (r->is_whole)
        load_whole(r, dtype, at, count);
    else if (r->is_complex)
        load_complex(r, dtype, at, count);
    else
        reals_from(dtype, at, count, r->real);
    for (size_t i = 0; !r->is_complex && i < count; i++)
        r->imaginary[i] = 0;
}

/* --- Distances ---------------------------------------------------------- */

static bool are_equal(double x, double y)
{
    return x <= y && x >= y;
}

static double distance(double x, double y)
{
    if (are_equal(x, y) || (isnan(x) && isnan(y)))
        return 0;
    return fabs(x - y);
}

static void measure_reals(
    struct gaps *g, const struct run *a, const struct run *b)
{
    for (size_t i = 0; i < g->count; i++) {
        g->apart[i] = distance(a->real[i], b->real[i]);
        g->size_a[i] = fabs(a->real[i]);
        g->size_b[i] = fabs(b->real[i]);
    }
}

static bool is_no_number(const struct run *r, size_t i)
{
    return isnan(r->real[i]) || isnan(r->imaginary[i]);
}

static void measure_complex(
    struct gaps *g, const struct run *a, const struct run *b)
{
    for (size_t i = 0; i < g->count; i++) {
        bool no_a = is_no_number(a, i);
        bool no_b = is_no_number(b, i);
        g->size_a[i] = no_a ? (double)NAN : hypot(a->real[i], a->imaginary[i]);
        g->size_b[i] = no_b ? (double)NAN : hypot(b->real[i], b->imaginary[i]);
        g->apart[i] = hypot(distance(a->real[i], b->real[i]),
            distance(a->imaginary[i], b->imaginary[i]));
        if (no_a || no_b)
            g->apart[i] = no_a && no_b ? 0 : (double)NAN;
    }
}

static void measure_whole(
    struct gaps *g, const struct run *a, const struct run *b)
{
    for (size_t i = 0; i < g->count; i++) {
        uint64_t x = a->size[i], y = b->size[i];
        bool is_apart = a->is_negative[i] != b->is_negative[i];
        uint64_t exact = is_apart ? x + y : x > y ? x - y : y - x;
        g->is_whole = g->is_whole && !(is_apart && exact < x);
        g->exact[i] = exact;
        g->apart[i] =
            is_apart && exact < x ? (double)x + (double)y : (double)exact;
        g->size_a[i] = (double)x;
        g->size_b[i] = (double)y;
    }
}

/* Converts doubles to integers; returns false if one is not an integer. */
static bool make_whole(struct run *r, size_t count)
{
    const double most = 18446744073709551616.0; /* 2^64 */
    for (size_t i = 0; i < count; i++) {
        double size = fabs(r->real[i]);
        if (!(size < most) || !are_equal(size, floor(size)))
            return false;
        r->size[i] = (uint64_t)size;
        r->is_negative[i] = r->real[i] < 0;
    }
    return true;
}

/* Corrects distances of 0 between an integer and a double that are equal as
 * doubles but not exactly. A double that is equal to such an integer and
 * exceeds 64 bits is 2^64. */
static void mend_mixed(struct gaps *g, struct run *a, struct run *b)
{
    struct gaps one = { .count = 1 };
    struct run x = { .is_whole = true }, y = { .is_whole = true };
    for (size_t i = 0; i < g->count; i++) {
        if (!are_equal(a->real[i], b->real[i]))
            continue;
        x.real[0] = a->real[i];
        x.size[0] = a->size[i];
        x.is_negative[0] = a->is_negative[i];
        y.real[0] = b->real[i];
        y.size[0] = b->size[i];
        y.is_negative[0] = b->is_negative[i];
        if ((a->is_whole || make_whole(&x, 1)) &&
            (b->is_whole || make_whole(&y, 1)))
            measure_whole(&one, &x, &y);
        else
            one.apart[0] =
                (double)(UINT64_MAX - (a->is_whole ? x : y).size[0]) + 1;
        g->apart[i] = one.apart[0];
    }
}

void gaps_measure(struct gaps *g, varve_dtype dtype_a, const unsigned char *a,
    varve_dtype dtype_b, const unsigned char *b, size_t count)
{
    struct run x, y;
    g->count = count;
    load_run(&x, dtype_a, a, count);
    load_run(&y, dtype_b, b, count);
    g->is_whole = x.is_whole && y.is_whole;
    if (g->is_whole) {
        measure_whole(g, &x, &y);
    } else if (x.is_complex || y.is_complex) {
        measure_complex(g, &x, &y);
    } else {
        measure_reals(g, &x, &y);
        if (x.is_whole || y.is_whole)
            mend_mixed(g, &x, &y);
    }
}
