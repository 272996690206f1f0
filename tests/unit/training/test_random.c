/* test_random.c - Tests streams of random numbers.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "checksum.h"
#include "golden/philox.h"

/* --- numpy -------------------------------------------------------------- */

static varve_random of_key(const uint64_t key[2], uint64_t position)
{
    return (varve_random){ .key = { key[0], key[1] }, .position = position };
}

TEST(random, words_equal_those_of_numpy)
{
    for (size_t i = 0; i < sizeof golden_words / sizeof *golden_words; i++) {
        const struct golden_words *g = &golden_words[i];
        varve_random stream = of_key(g->key, g->place);
        for (int k = 0; k < GOLDEN_WORDS; k++)
            cr_assert_eq(varve_random_u64(&stream), g->words[k]);
    }
}

TEST(random, units_equal_those_of_numpy)
{
    for (size_t i = 0; i < sizeof golden_units / sizeof *golden_units; i++) {
        varve_random stream = of_key(golden_units[i].key, 0);
        for (int k = 0; k < GOLDEN_WORDS; k++)
            cr_assert_eq(
                varve_random_unit(&stream), golden_units[i].units[k]);
    }
}

TEST(random, integers_equal_those_of_numpy)
{
    for (size_t i = 0; i < sizeof golden_below / sizeof *golden_below; i++) {
        const struct golden_below *g = &golden_below[i];
        varve_random stream = of_key(g->key, 0);
        for (int k = 0; k < GOLDEN_WORDS; k++)
            cr_assert_eq(
                varve_random_below(&stream, g->limit), g->numbers[k]);
    }
}

/* --- Position ------------------------------------------------------------ */

TEST(random, skipping_equals_drawing)
{
    varve_random drawn, skipped;
    varve_random_seed(&drawn, 3, "skip");
    skipped = drawn;
    for (int i = 0; i < 1000; i++) {
        varve_random copy = skipped;
        varve_random_skip(&copy, (uint64_t)i);
        cr_assert_eq(copy.position, drawn.position);
        cr_assert_eq(varve_random_u64(&copy), varve_random_u64(&drawn));
    }
}

/* Buffered words must not outlive the key and position from which they were
 * computed. */
TEST(random, follows_a_restored_key_and_position)
{
    varve_random stream, other;
    varve_random_seed(&stream, 3, "a");
    varve_random_seed(&other, 3, "b");
    uint64_t first = varve_random_u64(&stream);
    uint64_t second = varve_random_u64(&stream);
    uint64_t others = varve_random_u64(&other);
    stream.position = 0;
    cr_assert_eq(varve_random_u64(&stream), first);
    cr_assert_eq(varve_random_u64(&stream), second);
    for (int half = 0; half < 2; half++) {
        varve_random keyed = stream;
        keyed.key[half] = other.key[half];
        varve_random fresh = of_key(keyed.key, 2);
        cr_assert_eq(varve_random_u64(&keyed), varve_random_u64(&fresh));
    }
    memcpy(stream.key, other.key, sizeof stream.key);
    stream.position = 0;
    cr_assert_eq(varve_random_u64(&stream), others);
}

TEST(random, draws_one_word_at_a_time)
{
    varve_random r;
    varve_random_seed(&r, 1, "");
    varve_random_u64(&r);
    varve_random_unit(&r);
    varve_random_uniform(&r, 1, 2);
    varve_random_normal(&r, 1, 2);
    varve_random_truncated_normal(&r, 1, 2);
    cr_assert_eq(r.position, 5);
    cr_assert_eq(varve_random_below(&r, 0), 0);
    cr_assert_eq(r.position, 5);
    cr_assert_eq(varve_random_below(&r, 1), 0);
    cr_assert_eq(r.position, 6);
}

/* --- Many at once --------------------------------------------------------- */

enum { MOST = 700 };

static void compare_fills(uint64_t position, size_t count)
{
    const uint64_t key[2] = { 11, 12 };
    uint64_t words[MOST];
    double x[MOST][4];
    double out[4][MOST];
    float floats[3][MOST];
    varve_random r = of_key(key, position);
    for (size_t i = 0; i < count; i++) {
        varve_random s[4] = { r, r, r, r };
        words[i] = varve_random_u64(&r);
        x[i][0] = varve_random_unit(&s[0]);
        x[i][1] = varve_random_uniform(&s[1], -3, 5);
        x[i][2] = varve_random_normal(&s[2], 1, 2);
        x[i][3] = varve_random_truncated_normal(&s[3], -1, 0.5);
    }
    uint64_t filled[MOST];
    varve_random many[8];
    for (int i = 0; i < 8; i++)
        many[i] = of_key(key, position);
    varve_random_fill_u64(&many[0], filled, count);
    varve_random_fill_unit(&many[1], out[0], count);
    varve_random_fill_uniform(&many[2], out[1], count, -3, 5);
    varve_random_fill_normal(&many[3], out[2], count, 1, 2);
    varve_random_fill_truncated_normal(&many[4], out[3], count, -1, 0.5);
    varve_random_fill_uniform_float32(&many[5], floats[0], count, -3, 5);
    varve_random_fill_normal_float32(&many[6], floats[1], count, 1, 2);
    varve_random_fill_truncated_normal_float32(
        &many[7], floats[2], count, -1, 0.5);
    for (int i = 0; i < 8; i++)
        cr_assert_eq(many[i].position, position + count);
    for (size_t i = 0; i < count; i++) {
        cr_assert_eq(filled[i], words[i]);
        for (size_t k = 0; k < 4; k++)
            cr_assert_eq(out[k][i], x[i][k]);
        for (size_t k = 0; k < 3; k++)
            cr_assert_eq(floats[k][i], (float)x[i][k + 1]);
    }
}

TEST(random, bulk_draws_equal_single_draws)
{
    for (uint64_t position = 0; position < 9; position++) {
        for (size_t count = 0; count < 20; count++)
            compare_fills(position, count);
        compare_fills(position, 255);
        compare_fills(position, 256);
        compare_fills(position, MOST);
    }
}

TEST(random, bulk_and_single_draws_can_be_mixed)
{
    varve_random mixed, plain;
    varve_random_seed(&mixed, 1, "mixed");
    plain = mixed;
    uint64_t words[64];
    for (size_t i = 0; i < 200; i++) {
        size_t count = varve_random_below(&(varve_random){
            .position = i }, 64);
        varve_random_fill_u64(&mixed, words, count);
        for (size_t k = 0; k < count; k++)
            cr_assert_eq(words[k], varve_random_u64(&plain));
        cr_assert_eq(varve_random_u64(&mixed), varve_random_u64(&plain));
    }
}

/* --- Bounds --------------------------------------------------------------- */

/* Units close to 1 are rare, so bounds are used that are so close that results
 * round to the upper one. */
TEST(random, a_uniform_number_is_below_its_upper_bound)
{
    varve_random r;
    varve_random_seed(&r, 1, "bounds");
    double high = nextafter(1.0, 2.0);
    float floats[1000];
    for (int i = 0; i < 1000; i++)
        cr_assert_eq(varve_random_uniform(&r, 1, high), 1.0);
    varve_random_fill_uniform_float32(
        &r, floats, 1000, 1, (double)nextafterf(1.0f, 2.0f));
    for (int i = 0; i < 1000; i++)
        cr_assert_eq(floats[i], 1.0f);
}

TEST(random, a_truncated_normal_number_is_within_two_deviations)
{
    varve_random r;
    double low = 0, high = 0;
    varve_random_seed(&r, 1, "truncated");
    for (int i = 0; i < 300000; i++) {
        double x = varve_random_truncated_normal(&r, 0, 1);
        low = x < low ? x : low;
        high = x > high ? x : high;
    }
    cr_assert(low >= -2 && low < -1.999);
    cr_assert(high <= 2 && high > 1.999);
}

TEST(random, a_permutation_has_every_number_once)
{
    varve_random r, s;
    varve_random_seed(&r, 1, "order");
    for (size_t count = 0; count < 300; count += 1 + count / 7) {
        size_t out[300];
        bool seen[300] = { false };
        struct { char bytes[3]; } odd[300];
        s = r;
        varve_random_permutation(&r, out, count);
        for (size_t i = 0; i < count; i++) {
            cr_assert(out[i] < count && !seen[out[i]]);
            seen[out[i]] = true;
            memset(&odd[i], (int)i, 3);
        }
        varve_random_shuffle(&s, odd, count, 3);
        for (size_t i = 0; i < count; i++)
            cr_assert_eq((unsigned char)odd[i].bytes[2],
                (unsigned char)out[i]);
    }
}

/* --- Statistics, with fixed seeds ----------------------------------------- */

enum { SAMPLE = 200000 };

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Returns the Kolmogorov-Smirnov statistic: the largest distance from a
 * distribution function, times the root of the count. It exceeds 1.95 in one of
 * 1000 samples. */
static double distance(double *x, double (*below)(double))
{
    double most = 0;
    qsort(x, SAMPLE, sizeof *x, by_size);
    for (int i = 0; i < SAMPLE; i++) {
        double p = below(x[i]);
        most = fmax(most, p - (double)i / SAMPLE);
        most = fmax(most, (i + 1.0) / SAMPLE - p);
    }
    return most * sqrt(SAMPLE);
}

static double unit_below(double x)
{
    return x;
}

static double normal_below(double x)
{
    return 0.5 * erfc(-(x - 3) / (2 * sqrt(2)));
}

static double truncated_below(double x)
{
    double two = 0.5 * erfc(sqrt(2));
    return (0.5 * erfc(-x / sqrt(2)) - two) / (1 - 2 * two);
}

TEST(random, follows_the_distributions)
{
    double *x = malloc(SAMPLE * sizeof *x);
    varve_random r;
    varve_random_seed(&r, 1, "distributions");
    varve_random_fill_unit(&r, x, SAMPLE);
    cr_assert_lt(distance(x, unit_below), 1.95);
    varve_random_fill_normal(&r, x, SAMPLE, 3, 2);
    double sum = 0, squares = 0, fourth = 0;
    for (int i = 0; i < SAMPLE; i++) {
        double d = (x[i] - 3) / 2;
        sum += d;
        squares += d * d;
        fourth += d * d * d * d;
    }
    /* Three and a half deviations of each mean. */
    double root = sqrt(SAMPLE);
    cr_assert_lt(fabs(sum / SAMPLE), 3.5 / root);
    cr_assert_lt(fabs(squares / SAMPLE - 1), 3.5 * sqrt(2) / root);
    cr_assert_lt(fabs(fourth / SAMPLE - 3), 3.5 * sqrt(96) / root);
    cr_assert_lt(distance(x, normal_below), 1.95);
    varve_random_fill_truncated_normal(&r, x, SAMPLE, 0, 1);
    cr_assert_lt(distance(x, truncated_below), 1.95);
    free(x);
}

/* Returns chi square as deviations of a normal distribution (Wilson and
 * Hilferty). */
static double chi_score(const double *seen, size_t count, double wanted)
{
    double sum = 0;
    double k = (double)count - 1;
    for (size_t i = 0; i < count; i++)
        sum += (seen[i] - wanted) * (seen[i] - wanted) / wanted;
    double spread = 2 / (9 * k);
    return (cbrt(sum / k) - (1 - spread)) / sqrt(spread);
}

TEST(random, integers_are_equally_likely)
{
    for (size_t limit = 2; limit < 40; limit++) {
        double seen[40] = { 0 };
        varve_random r;
        varve_random_seed(&r, limit, "below");
        for (int i = 0; i < 20000; i++)
            seen[varve_random_below(&r, limit)]++;
        cr_assert_lt(fabs(chi_score(seen, limit, 20000.0 / (double)limit)), 4);
    }
    /* With a limit of three quarters of all words, a simple product would
     * return two thirds of the numbers half as often as the others. */
    double thirds[3] = { 0 };
    uint64_t quarter = UINT64_C(1) << 62;
    varve_random r;
    varve_random_seed(&r, 1, "large");
    for (int i = 0; i < 30000; i++)
        thirds[varve_random_below(&r, 3 * quarter) % 3]++;
    cr_assert_lt(fabs(chi_score(thirds, 3, 10000)), 4);
    cr_assert_gt(r.position, 35000);
}

TEST(random, orders_are_equally_likely)
{
    double seen[24] = { 0 };
    varve_random r;
    varve_random_seed(&r, 1, "orders");
    for (int i = 0; i < 48000; i++) {
        size_t p[4];
        varve_random_permutation(&r, p, 4);
        size_t rank = p[0] * 6 + (p[1] - (p[1] > p[0])) * 2 + (p[2] > p[3]);
        seen[rank]++;
    }
    cr_assert_lt(fabs(chi_score(seen, 24, 2000)), 4);
}

/* --- Portability ---------------------------------------------------------- */

/* Every compiler, optimization level and machine must give these results. */
TEST(random, numbers_have_the_same_bits_on_every_machine)
{
    static double x[3][50000];
    char text[33];
    varve_random r;
    varve_random_seed(&r, 1, "bits");
    varve_random_fill_uniform(&r, x[0], 50000, -0.1, 1e3);
    varve_random_fill_normal(&r, x[1], 50000, 0.3, 1.7);
    varve_random_fill_truncated_normal(&r, x[2], 50000, 0.3, 1.7);
    uint16_t one = 1;
    if (*(unsigned char *)&one == 1) {
        struct vv_digest digest = vv_digest_of(x, sizeof x);
        vv_digest_text(&digest, text);
        cr_assert_str_eq(text, "70c21312adb480f00f8baabbbb6bd606");
    }
}

static double seconds_of(void (*work)(varve_random *, double *))
{
    static double out[4096];
    varve_random r;
    double best = 1e9;
    varve_random_seed(&r, 1, "speed");
    for (int round = 0; round < 5; round++) {
        clock_t begin = clock();
        for (int i = 0; i < 100; i++)
            work(&r, out);
        double time = (double)(clock() - begin) / CLOCKS_PER_SEC;
        best = time < best ? time : best;
    }
    return best / (100 * 4096);
}

static void fill_words(varve_random *r, double *out)
{
    uint64_t words[4096];
    varve_random_fill_u64(r, words, 4096);
    out[0] = (double)words[4095];
}

static void fill_single(varve_random *r, double *out)
{
    uint64_t sum = 0;
    for (int i = 0; i < 4096; i++)
        sum += varve_random_u64(r);
    out[0] = (double)sum;
}

static void fill_units(varve_random *r, double *out)
{
    varve_random_fill_unit(r, out, 4096);
}

static void fill_normals(varve_random *r, double *out)
{
    varve_random_fill_normal(r, out, 4096, 0, 1);
}

/* Only a gross error fails here; the numbers are printed for information. */
TEST(random, draws_take_less_than_a_microsecond)
{
    double words = seconds_of(fill_words), single = seconds_of(fill_single);
    double units = seconds_of(fill_units), normals = seconds_of(fill_normals);
    printf("ns each: words %.2f, single %.2f, units %.2f, normals %.2f\n",
        words * 1e9, single * 1e9, units * 1e9, normals * 1e9);
    cr_assert_lt(words, 1e-6);
    cr_assert_lt(single, 1e-6);
}
