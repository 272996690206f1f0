/* test_number.c - Tests conversions of floats, against tables computed from the
 * definitions of the formats and against the processor.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <fenv.h>
#include <float.h>
#include <math.h>
#include <string.h>
#ifdef __SSE2__
#include <xmmintrin.h>
#endif

#include "convert.h"

/* The formats of 8 and 16 bits as defined in their papers. */
static const struct format {
    varve_dtype dtype;
    int exponent_bits;
    int fraction_bits;
    int bias;
    bool infinite;
} formats[] = {
    { VARVE_FLOAT16, 5, 10, 15, true },
    { VARVE_BFLOAT16, 8, 7, 127, true },
    { VARVE_FLOAT8_E4M3FN, 4, 3, 7, false },
    { VARVE_FLOAT8_E5M2, 5, 2, 15, true },
};

enum { FORMATS = sizeof formats / sizeof *formats };

static unsigned bit_count(const struct format *f)
{
    return 1u + (unsigned)(f->exponent_bits + f->fraction_bits);
}

static double value_of(const struct format *f, unsigned bits)
{
    int exponent = (int)(bits >> f->fraction_bits) &
                   ((1 << f->exponent_bits) - 1);
    int fraction = (int)bits & ((1 << f->fraction_bits) - 1);
    int last = (1 << f->exponent_bits) - 1;
    double sign = bits >> (bit_count(f) - 1) ? -1 : 1;
    if (f->infinite && exponent == last)
        return fraction ? (double)NAN : sign * HUGE_VAL;
    if (!f->infinite && exponent == last &&
        fraction == (1 << f->fraction_bits) - 1)
        return (double)NAN;
    if (exponent == 0)
        return sign * ldexp(fraction, 1 - f->bias - f->fraction_bits);
    return sign * ldexp(fraction + (1 << f->fraction_bits),
                      exponent - f->bias - f->fraction_bits);
}

static bool same(double a, double b)
{
    return isnan(a) ? isnan(b)
                    : a == b && !signbit(a) == !signbit(b);
}

static unsigned stored(const struct format *f, const void *at)
{
    return bit_count(f) == 8 ? *(const uint8_t *)at : *(const uint16_t *)at;
}

TEST(number, reads_every_small_float)
{
    for (size_t i = 0; i < FORMATS; i++) {
        const struct format *f = &formats[i];
        for (unsigned bits = 0; bits >> bit_count(f) == 0; bits++) {
            uint16_t b16 = (uint16_t)bits;
            uint8_t b8 = (uint8_t)bits;
            const void *from = bit_count(f) == 8 ? (void *)&b8 : (void *)&b16;
            double expected = value_of(f, bits), d;
            float s;
            uint64_t inexact = vv_convert(VARVE_FLOAT64, &d, f->dtype, from, 1);
            inexact += vv_convert(VARVE_FLOAT32, &s, f->dtype, from, 1);
            if (!same(d, expected) || !same((double)s, expected) || inexact)
                cr_assert(false, "%s %x", varve_dtype_name(f->dtype), bits);
        }
    }
}

TEST(number, converts_every_small_float_back)
{
    for (size_t i = 0; i < FORMATS; i++) {
        const struct format *f = &formats[i];
        for (unsigned bits = 0; bits >> bit_count(f) == 0; bits++) {
            double d = value_of(f, bits);
            float s = (float)d;
            uint16_t a = 0, b = 0;
            uint64_t inexact = vv_convert(f->dtype, &a, VARVE_FLOAT64, &d, 1);
            inexact += vv_convert(f->dtype, &b, VARVE_FLOAT32, &s, 1);
            bool good = isnan(d) ? isnan(value_of(f, stored(f, &a))) &&
                                       isnan(value_of(f, stored(f, &b)))
                                 : stored(f, &a) == bits &&
                                       stored(f, &b) == bits;
            if (!good || inexact)
                cr_assert(false, "%s %x", varve_dtype_name(f->dtype), bits);
        }
    }
}

/* Returns the largest finite positive bits. */
static unsigned last_finite(const struct format *f)
{
    unsigned bits = (1u << (bit_count(f) - 1)) - 1;
    while (!isfinite(value_of(f, bits)))
        bits--;
    return bits;
}

/* Returns the bits nearest to x >= 0, ties to even, by search. */
static unsigned nearest(const struct format *f, long double x)
{
    unsigned low = 0, high = last_finite(f);
    long double largest = (long double)value_of(f, high);
    if (x > largest) {
        long double step =
            largest - (long double)value_of(f, high - 1);
        return high + (f->infinite && x >= largest + step / 2);
    }
    while (high - low > 1) {
        unsigned middle = (low + high) / 2;
        if ((long double)value_of(f, middle) <= x)
            low = middle;
        else
            high = middle;
    }
    long double below = x - (long double)value_of(f, low);
    long double above = (long double)value_of(f, high) - x;
    if (below == above)
        return low % 2 ? high : low;
    return below < above ? low : high;
}

/* Converts a value and its negation. */
static void check_rounding(const struct format *f, double x)
{
    unsigned sign = 1u << (bit_count(f) - 1);
    unsigned expected = nearest(f, (long double)x);
    for (int negative = 0; negative < 2; negative++, x = -x) {
        uint16_t bits = 0;
        uint64_t inexact = vv_convert(f->dtype, &bits, VARVE_FLOAT64, &x, 1);
        unsigned want = expected | (negative ? sign : 0);
        if (stored(f, &bits) != want || inexact != (value_of(f, want) != x))
            cr_assert(false, "%s of %a: %x, not %x", varve_dtype_name(f->dtype),
                x, want, stored(f, &bits));
        float s = (float)x;
        if ((double)s != x)
            continue;
        inexact = vv_convert(f->dtype, &bits, VARVE_FLOAT32, &s, 1);
        if (stored(f, &bits) != want || inexact != (value_of(f, want) != x))
            cr_assert(false, "%s of %a", varve_dtype_name(f->dtype), x);
    }
}

TEST(number, rounds_to_nearest_and_ties_to_even)
{
    for (size_t i = 0; i < FORMATS; i++) {
        const struct format *f = &formats[i];
        for (unsigned bits = 0; bits < last_finite(f); bits++) {
            double a = value_of(f, bits), b = value_of(f, bits + 1);
            double middle = a + (b - a) / 2;
            check_rounding(f, a);
            check_rounding(f, middle);
            check_rounding(f, nextafter(middle, a));
            check_rounding(f, nextafter(middle, b));
            check_rounding(f, (double)nextafterf((float)middle, (float)a));
            check_rounding(f, (double)nextafterf((float)middle, (float)b));
            check_rounding(f, nextafter(a, b));
            check_rounding(f, nextafter(b, a));
        }
    }
}

TEST(number, overflows_to_infinity_or_the_largest_number)
{
    for (size_t i = 0; i < FORMATS; i++) {
        const struct format *f = &formats[i];
        double last = value_of(f, last_finite(f));
        double step = last - value_of(f, last_finite(f) - 1);
        check_rounding(f, last);
        check_rounding(f, nextafter(last + step / 2, 0));
        check_rounding(f, last + step / 2);
        check_rounding(f, last + step);
        check_rounding(f, last * 2);
        check_rounding(f, DBL_MAX);
    }
    static const double values[] = { 448, 449, 480, 1e9, HUGE_VAL, -HUGE_VAL,
        (double)NAN };
    uint8_t bits[7];
    cr_assert_eq(
        vv_convert(VARVE_FLOAT8_E4M3FN, bits, VARVE_FLOAT64, values, 7), 5);
    cr_assert_arr_eq(
        bits, ((uint8_t[]){ 0x7e, 0x7e, 0x7e, 0x7e, 0x7e, 0xfe, 0x7f }), 7);
    cr_assert_eq(
        vv_convert(VARVE_FLOAT8_E5M2, bits, VARVE_FLOAT64, values, 7), 3);
    cr_assert_eq(bits[3], 0x7c);
    cr_assert_eq(bits[4], 0x7c);
    cr_assert_eq(bits[5], 0xfc);
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return *state ^ *state >> 29;
}

/* With any exponent or near the range of a float32, and sometimes few ones. */
static uint64_t next_double(uint64_t *state)
{
    uint64_t bits = next_random(state);
    if (bits % 2)
        bits = (bits & ~(UINT64_C(0x7ff) << 52)) |
               (861 + next_random(state) % 320) << 52;
    switch (next_random(state) % 3) {
    case 0: return bits & ~UINT64_C(0x0fffffff);
    case 1: return bits & ~UINT64_C(0x1fffffff);
    default: return bits;
    }
}

TEST(number, agrees_with_the_cpu_between_float64_and_float32)
{
    uint64_t state = 3;
    for (int i = 0; i < 3000000; i++) {
        uint64_t bits = next_double(&state);
        double value;
        float result, back;
        memcpy(&value, &bits, sizeof value);
        uint64_t inexact =
            vv_convert(VARVE_FLOAT32, &result, VARVE_FLOAT64, &value, 1);
        float expected = (float)value;
        bool exact = isnan(value) || (double)expected == value;
        if (!same((double)result, (double)expected) || inexact != !exact)
            cr_assert(false, "%a", value);
        double wide;
        inexact = vv_convert(VARVE_FLOAT64, &wide, VARVE_FLOAT32, &result, 1);
        memcpy(&back, &result, sizeof back);
        if (!same(wide, (double)back) || inexact)
            cr_assert(false, "%a", value);
    }
}

TEST(number, agrees_with_the_cpu_for_integers)
{
    uint64_t state = 4;
    for (int i = 0; i < 1000000; i++) {
        uint64_t u = next_random(&state) >> next_random(&state) % 64;
        int64_t s = (int64_t)(next_random(&state) % 2 ? u : ~u);
        double du, ds;
        float fu, fs;
        uint64_t inexact = vv_convert(VARVE_FLOAT64, &du, VARVE_UINT64, &u, 1);
        bool exact = du < 0x1p64 && (uint64_t)du == u;
        vv_convert(VARVE_FLOAT32, &fu, VARVE_UINT64, &u, 1);
        vv_convert(VARVE_FLOAT64, &ds, VARVE_INT64, &s, 1);
        vv_convert(VARVE_FLOAT32, &fs, VARVE_INT64, &s, 1);
        if (du != (double)u || ds != (double)s || fu != (float)u ||
            fs != (float)s || inexact != !exact)
            cr_assert(false, "%llx", (unsigned long long)u);
    }
}

TEST(number, rounds_integers_only_once)
{
    /* Just above a tie, by less than a float64 can represent. */
    static const uint64_t values[] = {
        (UINT64_C(1) << 60) + (UINT64_C(1) << 52) + 1, UINT64_MAX,
        (UINT64_C(1) << 53) + 1
    };
    uint16_t bits[3];
    cr_assert_eq(vv_convert(VARVE_BFLOAT16, bits, VARVE_UINT64, values, 3), 3);
    cr_assert_eq(bits[0], 0x5d81);
    cr_assert_eq(bits[1], 0x5f80);
    cr_assert_eq(bits[2], 0x5a00);
    if (LDBL_MANT_DIG < 64)
        return;
    uint64_t state = 5;
    for (int i = 0; i < 1000000; i++) {
        uint64_t u = next_random(&state) >> next_random(&state) % 64;
        if (i % 2 && u >> 60) /* a tie except for the last bits */
            u = (u >> 55 << 55) | UINT64_C(1) << 55 | (u & 1);
        const struct format *f = &formats[i / 2 % FORMATS];
        uint16_t result = 0;
        vv_convert(f->dtype, &result, VARVE_UINT64, &u, 1);
        if (stored(f, &result) != nearest(f, (long double)u))
            cr_assert(false, "%s of %llx", varve_dtype_name(f->dtype),
                (unsigned long long)u);
    }
}

/* Clang 14 has the limits of the type, but not the type. */
#if defined(__FLT16_MANT_DIG__) && !defined(__clang__)
__extension__ typedef _Float16 half;

TEST(number, agrees_with_the_compiler_s_float16)
{
    for (uint64_t bits = 0; bits <= UINT32_MAX; bits += 1 + bits % 1009) {
        uint32_t b = (uint32_t)bits;
        float value;
        uint16_t result, expected;
        memcpy(&value, &b, sizeof value);
        half h = (half)value;
        memcpy(&expected, &h, sizeof h);
        vv_convert(VARVE_FLOAT16, &result, VARVE_FLOAT32, &value, 1);
        if (isnan(value) ? (result & 0x7fff) <= 0x7c00 : result != expected)
            cr_assert(false, "%a: %x, not %x", (double)value, expected, result);
    }
}
#endif

TEST(number, keeps_nan_and_its_sign)
{
    static const varve_dtype types[] = { VARVE_FLOAT16, VARVE_BFLOAT16,
        VARVE_FLOAT32, VARVE_FLOAT64, VARVE_FLOAT8_E4M3FN, VARVE_FLOAT8_E5M2 };
    for (size_t i = 0; i < 6; i++) {
        for (int negative = 0; negative < 2; negative++) {
            double nan = copysign((double)NAN, negative ? -1 : 1), back;
            uint64_t other = 0;
            uint64_t inexact =
                vv_convert(types[i], &other, VARVE_FLOAT64, &nan, 1);
            inexact += vv_convert(VARVE_FLOAT64, &back, types[i], &other, 1);
            cr_assert(isnan(back));
            cr_assert_eq(!signbit(back), !negative);
            cr_assert_eq(inexact, 0);
        }
    }
}

TEST(number, never_converts_nan_to_a_number)
{
    /* Truncating or rounding the digits of these would give infinity or 0. */
    static const uint32_t narrow[] = { 0x7f800001, 0xff800001, 0x7fffffff,
        0xffffffff, 0x7f808000, 0x7fff8000 };
    static const uint64_t wide[] = { UINT64_C(0x7ff0000000000001),
        UINT64_C(0xfff0000010000000), UINT64_MAX, UINT64_MAX >> 1,
        UINT64_C(0x7ff0000020000000), UINT64_C(0x7ff8000000000000) };
    static const varve_dtype types[] = { VARVE_FLOAT16, VARVE_BFLOAT16,
        VARVE_FLOAT32, VARVE_FLOAT64, VARVE_FLOAT8_E4M3FN, VARVE_FLOAT8_E5M2 };
    for (size_t i = 0; i < 6; i++) {
        uint64_t other[6];
        double back[6];
        cr_assert_eq(vv_convert(types[i], other, VARVE_FLOAT32, narrow, 6), 0);
        cr_assert_eq(vv_convert(VARVE_FLOAT64, back, types[i], other, 6), 0);
        for (size_t k = 0; k < 6; k++)
            cr_assert(isnan(back[k]));
        cr_assert_eq(vv_convert(types[i], other, VARVE_FLOAT64, wide, 6), 0);
        cr_assert_eq(vv_convert(VARVE_FLOAT64, back, types[i], other, 6), 0);
        for (size_t k = 0; k < 6; k++)
            cr_assert(isnan(back[k]));
    }
}

static void check_small_values(void)
{
    static const uint64_t from[] = { UINT64_C(0x36a0000000000000), /* 2^-149 */
        UINT64_C(0x3ff0000010000001), 1 };
    static const uint32_t expected[] = { 1, 0x3f800001, 0 };
    static const uint64_t expected_back[] = { UINT64_C(0x36a0000000000000),
        UINT64_C(0x3ff0000020000000), 0 };
    uint32_t result[3];
    uint64_t back[3];
    cr_assert_eq(vv_convert(VARVE_FLOAT32, result, VARVE_FLOAT64, from, 3), 2);
    cr_assert_arr_eq(result, expected, sizeof expected);
    cr_assert_eq(vv_convert(VARVE_FLOAT64, back, VARVE_FLOAT32, result, 3), 0);
    cr_assert_arr_eq(back, expected_back, sizeof expected_back);
}

TEST(number, ignores_the_rounding_mode_of_the_cpu)
{
    static const int modes[] = { FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO };
    check_small_values();
    for (size_t i = 0; i < 3; i++) {
        cr_assert_eq(fesetround(modes[i]), 0);
        check_small_values();
    }
    fesetround(FE_TONEAREST);
#ifdef __SSE2__
    unsigned before = _mm_getcsr();
    _mm_setcsr(before | 0x8040); /* flush denormals to zero */
    check_small_values();
    _mm_setcsr(before);
#endif
}
