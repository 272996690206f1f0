/* test_convert.c - Tests conversions between types: which exist, and those of
 * integers, bools and complex numbers. test_number.c tests those of floats.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "convert.h"
#include "typed_memory.h"

/* A row for each `from`, a column for each `to`, by number. */
static const char widening[VARVE_DTYPE_COUNT][VARVE_DTYPE_COUNT + 1] = {
    "11111111111111111.", /* bool */
    ".1111....111111...", /* int8 */
    "..111......1111...", /* int16 */
    "...11.......1.1...", /* int32 */
    "....1.............", /* int64 */
    "..1111111111111...", /* uint8 */
    "...11.111..1111...", /* uint16 */
    "....1..11...1.1...", /* uint32 */
    "........1.........", /* uint64 */
    ".........1.1111...", /* float16 */
    "..........11111...", /* bfloat16 */
    "...........1111...", /* float32 */
    "............1.1...", /* float64 */
    ".............11...", /* complex64 */
    "..............1...", /* complex128 */
    ".........1111111..", /* float8_e4m3fn */
    ".........111111.1.", /* float8_e5m2 */
    ".................1", /* string */
};

TEST(convert, allows_widening_for_exactly_the_documented_types)
{
    for (unsigned from = 0; from <= VARVE_DTYPE_COUNT + 1; from++) {
        for (unsigned to = 0; to <= VARVE_DTYPE_COUNT + 1; to++) {
            bool valid = vv_dtype_is_valid(from) && vv_dtype_is_valid(to);
            cr_assert_eq(
                vv_convert_is_widening((varve_dtype)from, (varve_dtype)to),
                valid && widening[from - 1][to - 1] == '1', "%u %u", from, to);
            cr_assert_eq(
                vv_convert_is_possible((varve_dtype)from, (varve_dtype)to),
                valid && (from == VARVE_STRING) == (to == VARVE_STRING));
        }
    }
}

/* Sets all values of a small type; of a large one, those that are hard to
 * preserve. */
static size_t make_values(varve_dtype dtype, void *values)
{
    static const int32_t i32[] = { 1, -1, INT32_MAX, INT32_MIN };
    static const int64_t i64[] = { 1, -1, INT64_MAX, INT64_MIN };
    static const uint32_t u32[] = { 1, UINT32_MAX };
    static const uint64_t u64[] = { 1, UINT64_MAX };
    static const float f32[] = { 0.1f, -1, FLT_MAX, 1e-45f };
    static const double f64[] = { 0.1, -1, DBL_MAX, 5e-324 };
    static const struct {
        varve_dtype dtype;
        const void *values;
        size_t size;
    } hard[] = {
        { VARVE_INT32, i32, sizeof i32 }, { VARVE_INT64, i64, sizeof i64 },
        { VARVE_UINT32, u32, sizeof u32 }, { VARVE_UINT64, u64, sizeof u64 },
        { VARVE_FLOAT32, f32, sizeof f32 }, { VARVE_FLOAT64, f64, sizeof f64 },
        { VARVE_COMPLEX64, f32, sizeof f32 },
        { VARVE_COMPLEX128, f64, sizeof f64 },
    };
    for (size_t i = 0; i < sizeof hard / sizeof *hard; i++) {
        if (hard[i].dtype != dtype)
            continue;
        memcpy(values, hard[i].values, hard[i].size);
        return hard[i].size / varve_dtype_size(dtype);
    }
    if (dtype == VARVE_BOOL)
        return memcpy(values, "\0\1", 2) ? 2 : 0;
    for (size_t i = 0; i < 65536; i++) {
        if (varve_dtype_size(dtype) == 2)
            ((uint16_t *)values)[i] = (uint16_t)i;
        else
            ((uint8_t *)values)[i] = (uint8_t)i;
    }
    return varve_dtype_size(dtype) == 2 ? 65536 : 256;
}

TEST(convert, is_exact_only_when_widening)
{
    static uint64_t from_values[65536], to_values[2 * 65536];
    for (unsigned from = 1; from < VARVE_STRING; from++) {
        size_t count = make_values((varve_dtype)from, from_values);
        for (unsigned to = 1; to < VARVE_STRING; to++) {
            uint64_t inexact = vv_convert((varve_dtype)to, to_values,
                (varve_dtype)from, from_values, count);
            cr_assert_eq(inexact == 0, widening[from - 1][to - 1] == '1',
                "%s to %s: %d inexact", varve_dtype_name((varve_dtype)from),
                varve_dtype_name((varve_dtype)to), (int)inexact);
        }
    }
}

/* --- Integers ----------------------------------------------------------- */

__extension__ typedef __int128 wide;

static wide read_whole(varve_dtype dtype, const void *at)
{
    switch (dtype) {
    case VARVE_INT8: return *(const int8_t *)at;
    case VARVE_INT16: return *(const int16_t *)at;
    case VARVE_INT32: return *(const int32_t *)at;
    case VARVE_INT64: return *(const int64_t *)at;
    case VARVE_UINT8: return *(const uint8_t *)at;
    case VARVE_UINT16: return *(const uint16_t *)at;
    case VARVE_UINT32: return *(const uint32_t *)at;
    default: return *(const uint64_t *)at;
    }
}

static void limits(varve_dtype dtype, wide *low, wide *high)
{
    static const wide lows[] = { INT8_MIN, INT16_MIN, INT32_MIN, INT64_MIN };
    static const wide highs[] = { INT8_MAX, INT16_MAX, INT32_MAX, INT64_MAX,
        UINT8_MAX, UINT16_MAX, UINT32_MAX, UINT64_MAX };
    *low = dtype <= VARVE_INT64 ? lows[dtype - VARVE_INT8] : 0;
    *high = highs[dtype - VARVE_INT8];
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return *state ^ *state >> 29;
}

/* Returns bits with many ones or zeros at the top, where the limits are. */
static uint64_t next_bits(uint64_t *state)
{
    uint64_t bits = next_random(state);
    unsigned shift = (unsigned)(next_random(state) % 64);
    switch (next_random(state) % 4) {
    case 0: return bits >> shift;
    case 1: return ~(bits >> shift);
    case 2: return (UINT64_C(1) << shift) + bits % 3 - 1;
    default: return bits;
    }
}

TEST(convert, clamps_integers)
{
    uint64_t state = 1;
    for (unsigned i = 0; i < 500000; i++) {
        varve_dtype from = (varve_dtype)(VARVE_INT8 + i % 8);
        varve_dtype to = (varve_dtype)(VARVE_INT8 + i / 8 % 8);
        uint64_t bits = next_bits(&state), result = 0;
        wide value = read_whole(from, &bits), low, high;
        limits(to, &low, &high);
        wide nearest = value < low ? low : value > high ? high : value;
        uint64_t inexact = vv_convert(to, &result, from, &bits, 1);
        if (read_whole(to, &result) != nearest ||
            inexact != (nearest != value))
            cr_assert(false, "%u to %u: %llx", from, to,
                (unsigned long long)bits);
    }
}

TEST(convert, truncates_reals_to_integers_as_c_does)
{
    uint64_t state = 2;
    for (unsigned i = 0; i < 500000; i++) {
        varve_dtype to = (varve_dtype)(VARVE_INT8 + i % 8);
        uint64_t bits = next_bits(&state), result = 0;
        double value;
        if (i % 3 == 0) /* of any size; otherwise one that may fit */
            memcpy(&value, &bits, sizeof value);
        else
            value = (double)(int64_t)bits / (i % 3 == 1 ? 1 : 4);
        wide low, high, nearest = 0;
        limits(to, &low, &high);
        if (value >= 1e30 || value <= -1e30)
            nearest = value > 0 ? high : low;
        else if (!isnan(value))
            nearest = (wide)value;
        nearest = nearest < low ? low : nearest > high ? high : nearest;
        bool exact = (double)nearest == value && value < 1e30 &&
                     (wide)value == nearest;
        uint64_t inexact = vv_convert(to, &result, VARVE_FLOAT64, &value, 1);
        if (read_whole(to, &result) != nearest || inexact != !exact)
            cr_assert(false, "%a to %u", value, to);
    }
}

TEST(convert, converts_every_real_to_an_integer)
{
    static const struct {
        double value;
        int64_t whole;
        uint64_t inexact;
    } cases[] = {
        { 0.0, 0, 0 }, { -0.0, 0, 0 }, { 2.5, 2, 1 }, { -2.5, -2, 1 },
        { 0.99, 0, 1 }, { -0.99, 0, 1 }, { 5e-324, 0, 1 }, { -7, -7, 0 },
        { 0x1p62, INT64_C(1) << 62, 0 }, { 0x1p63, INT64_MAX, 1 },
        { -0x1p63, INT64_MIN, 0 }, { -0x1.0000000000001p63, INT64_MIN, 1 },
        { 0x1.fffffffffffffp62, INT64_MAX - 1023, 0 },
        { 1e300, INT64_MAX, 1 }, { -1e300, INT64_MIN, 1 },
        { HUGE_VAL, INT64_MAX, 1 }, { -HUGE_VAL, INT64_MIN, 1 },
        { (double)NAN, 0, 1 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t whole = 99;
        uint64_t inexact = vv_convert(
            VARVE_INT64, &whole, VARVE_FLOAT64, &cases[i].value, 1);
        cr_assert_eq(whole, cases[i].whole, "%a", cases[i].value);
        cr_assert_eq(inexact, cases[i].inexact, "%a", cases[i].value);
    }
    static const double large[] = { 0x1p64, 0x1.fffffffffffffp63, -1, -0.5 };
    uint64_t whole[4];
    cr_assert_eq(vv_convert(VARVE_UINT64, whole, VARVE_FLOAT64, large, 4), 3);
    cr_assert_eq(whole[0], UINT64_MAX);
    cr_assert_eq(whole[1], UINT64_MAX - 2047);
    cr_assert_eq(whole[2], 0);
    cr_assert_eq(whole[3], 0);
}

/* --- Bools -------------------------------------------------------------- */

TEST(convert, converts_every_value_but_0_to_true)
{
    static const double values[] = { 0, -0.0, 1, -1, 2, 0.5, 5e-324, 1e300,
        HUGE_VAL, (double)NAN };
    static const uint8_t expected[] = { 0, 0, 1, 1, 1, 1, 1, 1, 1, 1 };
    uint8_t result[10];
    uint64_t inexact =
        vv_convert(VARVE_BOOL, result, VARVE_FLOAT64, values, 10);
    cr_assert_arr_eq(result, expected, 10);
    cr_assert_eq(inexact, 7);
    static const int8_t whole[] = { 0, 1, 2, -1, -128 };
    inexact = vv_convert(VARVE_BOOL, result, VARVE_INT8, whole, 5);
    cr_assert_arr_eq(result, ((uint8_t[]){ 0, 1, 1, 1, 1 }), 5);
    cr_assert_eq(inexact, 3);
    static const float complex z[] = { 0, 1, 1.0f * I };
    inexact = vv_convert(VARVE_BOOL, result, VARVE_COMPLEX64, z, 3);
    cr_assert_arr_eq(result, ((uint8_t[]){ 0, 1, 1 }), 3);
    cr_assert_eq(inexact, 1);
}

TEST(convert, reads_a_bool_as_0_or_1)
{
    static const uint8_t values[] = { 0, 1, 2, 255 };
    float result[4];
    cr_assert_eq(vv_convert(VARVE_FLOAT32, result, VARVE_BOOL, values, 4), 0);
    for (int i = 0; i < 4; i++)
        cr_assert(result[i] == (float)(i > 0));
}

/* --- Complex numbers ---------------------------------------------------- */

TEST(convert, drops_imaginary_parts)
{
    const double complex z[] = { 1.5, 1.5 - 0.0 * I, 2 + 1e-300 * I, 3 };
    double parts[8], real[4];
    memcpy(parts, z, sizeof z);
    parts[7] = (double)NAN;
    cr_assert_eq(
        vv_convert(VARVE_FLOAT64, real, VARVE_COMPLEX128, parts, 4), 2);
    for (int i = 0; i < 4; i++)
        cr_assert(real[i] == parts[2 * i]);
    int32_t whole[4]; /* an element with two errors counts once */
    cr_assert_eq(vv_convert(VARVE_INT32, whole, VARVE_COMPLEX128, parts, 4), 4);
    cr_assert_eq(whole[2], 2);
}

TEST(convert, rounds_both_parts_of_a_complex_number)
{
    static const double parts[] = { 0.5, -0.0, 0.1, 0.2, 1, 0.1, 0.1, 1 };
    float result[8];
    cr_assert_eq(
        vv_convert(VARVE_COMPLEX64, result, VARVE_COMPLEX128, parts, 4), 3);
    for (int i = 0; i < 8; i++)
        cr_assert(result[i] == (float)parts[i]);
    cr_assert(signbit(result[1]));
    double back[8];
    cr_assert_eq(
        vv_convert(VARVE_COMPLEX128, back, VARVE_COMPLEX64, result, 4), 0);
    for (int i = 0; i < 8; i++)
        cr_assert(back[i] == (double)result[i]);
}

TEST(convert, gives_reals_an_imaginary_part_of_0)
{
    static const int16_t values[] = { -3, 300 };
    float result[4] = { 9, 9, 9, 9 };
    cr_assert_eq(
        vv_convert(VARVE_COMPLEX64, result, VARVE_INT16, values, 2), 0);
    cr_assert(result[0] == -3 && result[1] == 0);
    cr_assert(result[2] == 300 && result[3] == 0);
}

/* --- All conversions ---------------------------------------------------- */

TEST(convert, works_at_any_address_and_writes_only_the_result)
{
    unsigned char from[16 * 8 + 1], to[16 * 8 + 2], plain[16 * 8];
    uint64_t aligned[2 * 8];
    for (size_t i = 0; i < sizeof from; i++)
        from[i] = (unsigned char)(i * 37 + 11);
    for (unsigned i = 0; i < 17 * 17; i++) {
        varve_dtype a = (varve_dtype)(1 + i / 17);
        varve_dtype b = (varve_dtype)(1 + i % 17);
        size_t size = 8 * varve_dtype_size(b);
        memset(to, 0xee, sizeof to);
        memcpy(aligned, from + 1, 8 * varve_dtype_size(a));
        uint64_t inexact = vv_convert(b, plain, a, aligned, 8);
        cr_assert_eq(vv_convert(b, to + 1, a, from + 1, 8), inexact);
        cr_assert_arr_eq(to + 1, plain, size);
        cr_assert_eq(to[0], 0xee);
        cr_assert_eq(to[size + 1], 0xee);
    }
}

TEST(convert, copies_equal_types_bit_by_bit)
{
    static const uint32_t bits[] = { 0x7f800001, 0xffc12345, 0x80000000 };
    uint32_t result[3];
    cr_assert_eq(
        vv_convert(VARVE_FLOAT32, result, VARVE_FLOAT32, bits, 3), 0);
    cr_assert_arr_eq(result, bits, sizeof bits);
    cr_assert_eq(vv_convert(VARVE_INT8, NULL, VARVE_FLOAT32, NULL, 0), 0);
    cr_assert_eq(vv_convert(VARVE_INT8, NULL, VARVE_INT8, NULL, 0), 0);
}

TEST(convert, changes_nothing_if_a_type_is_not_numeric)
{
    static const varve_dtype none[] = { VARVE_STRING, (varve_dtype)99 };
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        uint64_t from[2] = { 1, 2 }, to[2] = { 3, 4 };
        cr_assert_eq(vv_convert(VARVE_INT64, to, none[i], from, 1), 0);
        cr_assert_eq(vv_convert(none[i], to, VARVE_INT64, from, 1), 0);
        cr_assert_eq(vv_convert(none[i], to, none[i], from, 1), 0);
        cr_assert(to[0] == 3 && to[1] == 4);
    }
}

TEST(convert, keeps_the_sign_of_0)
{
    static const double values[] = { 0.0, -0.0 };
    float narrow[2];
    double again[2];
    cr_assert_eq(
        vv_convert(VARVE_FLOAT32, narrow, VARVE_FLOAT64, values, 2), 0);
    cr_assert(narrow[0] == 0 && !signbit(narrow[0]));
    cr_assert(narrow[1] == 0 && signbit(narrow[1]));
    cr_assert_eq(vv_convert(VARVE_FLOAT64, again, VARVE_FLOAT32, narrow, 2), 0);
    cr_assert_eq(memcmp(again, values, sizeof again), 0);
}
