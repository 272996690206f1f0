/* test_philox.c - Tests the Philox generator.
 *
 * SPDX-License-Identifier: MIT
 */
#include "philox.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "support/test.h"
#include "golden/philox.h"

/* From the file kat_vectors of Random123. */
static const struct {
    uint64_t counter[4];
    uint64_t key[2];
    uint64_t words[4];
} known[] = {
    { { 0 }, { 0 },
        { UINT64_C(0x16554d9eca36314c), UINT64_C(0xdb20fe9d672d0fdc),
            UINT64_C(0xd7e772cee186176b), UINT64_C(0x7e68b68aec7ba23b) } },
    { { UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX },
        { UINT64_MAX, UINT64_MAX },
        { UINT64_C(0x87b092c3013fe90b), UINT64_C(0x438c3c67be8d0224),
            UINT64_C(0x9cc7d7c69cd777b6), UINT64_C(0xa09caebf594f0ba0) } },
    { { UINT64_C(0x243f6a8885a308d3), UINT64_C(0x13198a2e03707344),
          UINT64_C(0xa4093822299f31d0), UINT64_C(0x082efa98ec4e6c89) },
        { UINT64_C(0x452821e638d01377), UINT64_C(0xbe5466cf34e90c6c) },
        { UINT64_C(0xa528f45403e61d95), UINT64_C(0x38c72dbd566e9788),
            UINT64_C(0xa5a1610e72fd18b5), UINT64_C(0x57bd43b5e52b7fe6) } },
};

TEST(philox, gives_the_known_answers_of_random123)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        uint64_t counter[4];
        memcpy(counter, known[i].counter, sizeof counter);
        vv_philox(known[i].key, counter);
        cr_assert_arr_eq(counter, known[i].words, sizeof counter);
    }
}

TEST(philox, fills_exactly_the_requested_words)
{
    const uint64_t key[2] = { 5, 6 };
    for (size_t count = 0; count < 6; count++) {
        uint64_t words[4 * 6 + 1];
        memset(words, 0, sizeof words);
        words[4 * count] = 77;
        vv_philox_fill(key, UINT64_MAX - 1, count, words);
        for (size_t i = 0; i < count; i++) {
            uint64_t one[4] = { UINT64_MAX - 1 + i, 0, 0, 0 };
            vv_philox(key, one);
            cr_assert_arr_eq(words + 4 * i, one, sizeof one);
        }
        cr_assert_eq(words[4 * count], 77);
    }
}

TEST(philox, multiplies_to_128_bits)
{
    uint64_t low;
    cr_assert_eq(vv_multiply(UINT64_MAX, UINT64_MAX, &low), UINT64_MAX - 1);
    cr_assert_eq(low, 1);
    cr_assert_eq(vv_multiply(UINT64_C(0x123456789abcdef0),
                     UINT64_C(0xfedcba9876543210), &low),
        UINT64_C(0x121fa00ad77d7422));
    cr_assert_eq(low, UINT64_C(0x236d88fe5618cf00));
}

static void check_all(const uint64_t key[2], uint64_t count)
{
    struct vv_permutation p = vv_permutation_of(key, count);
    bool *seen = calloc(count + 1, 1);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t x = vv_permutation_at(&p, i);
        cr_assert(x < count && !seen[x], "%llu of %llu",
            (unsigned long long)i, (unsigned long long)count);
        seen[x] = true;
    }
    free(seen);
}

TEST(permutation, permutes_every_number_once)
{
    for (uint64_t count = 0; count < 400; count++)
        check_all((const uint64_t[]){ count, 5 }, count);
    check_all((const uint64_t[]){ 1, 2 }, 65536);
    check_all((const uint64_t[]){ 1, 2 }, 99991);
}

TEST(permutation, is_bounded_for_any_range)
{
    static const uint64_t counts[] = { UINT64_C(1) << 32,
        (UINT64_C(1) << 32) + 1, UINT64_C(1) << 62, UINT64_MAX - 1,
        UINT64_MAX };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct vv_permutation p =
            vv_permutation_of((const uint64_t[]){ 7, 8 }, counts[i]);
        for (uint64_t k = 0; k < 1000; k++) {
            cr_assert_lt(vv_permutation_at(&p, k), counts[i]);
            cr_assert_lt(
                vv_permutation_at(&p, counts[i] - 1 - k), counts[i]);
        }
    }
}

/* Positions in files depend on it. */
TEST(permutation, is_the_same_in_every_version)
{
    static const uint64_t wanted[10] = { 7, 6, 5, 1, 0, 2, 4, 3, 8, 9 };
    struct vv_permutation p =
        vv_permutation_of((const uint64_t[]){ 1, 2 }, 10);
    char text[64] = "";
    for (uint64_t i = 0; i < 10; i++)
        sprintf(text + strlen(text), "%d, ", (int)vv_permutation_at(&p, i));
    for (uint64_t i = 0; i < 10; i++)
        cr_assert_eq(vv_permutation_at(&p, i), wanted[i], "%s", text);
}

/* Chi square as deviations of a normal number (Wilson and Hilferty). */
static double chi_score(const double *seen, size_t count, double wanted)
{
    double sum = 0, k = (double)count - 1;
    for (size_t i = 0; i < count; i++)
        sum += (seen[i] - wanted) * (seen[i] - wanted) / wanted;
    double spread = 2 / (9 * k);
    return (cbrt(sum / k) - (1 - spread)) / sqrt(spread);
}

TEST(permutation, gives_every_order_of_few_equally_often)
{
    enum { EACH = 400 };
    for (size_t count = 2; count < 7; count++) {
        static double seen[720];
        size_t orders = 1;
        memset(seen, 0, sizeof seen);
        for (size_t i = 2; i <= count; i++)
            orders *= i;
        for (uint64_t key = 0; key < orders * EACH; key++) {
            struct vv_permutation p =
                vv_permutation_of((const uint64_t[]){ key, 1 }, count);
            uint64_t at[6];
            size_t rank = 0;
            for (size_t i = 0; i < count; i++)
                at[i] = vv_permutation_at(&p, i);
            for (size_t i = 0; i < count; i++) {
                size_t less = 0;
                for (size_t k = i + 1; k < count; k++)
                    less += at[k] < at[i];
                rank = rank * (count - i) + less;
            }
            seen[rank]++;
        }
        cr_assert_lt(chi_score(seen, orders, EACH), 4, "%zu", count);
    }
}

/* Where a number and its neighbour go: every pair as often. */
TEST(permutation, moves_neighbours_to_any_pair_equally_often)
{
    enum { COUNT = 20, KEYS = 40000 };
    static double seen[COUNT * COUNT];
    for (uint64_t first = 0; first < COUNT - 1; first += 6) {
        double kept[COUNT * (COUNT - 1)];
        size_t n = 0;
        memset(seen, 0, sizeof seen);
        for (uint64_t key = 0; key < KEYS; key++) {
            struct vv_permutation p =
                vv_permutation_of((const uint64_t[]){ 3, key }, COUNT);
            seen[vv_permutation_at(&p, first) * COUNT +
                 vv_permutation_at(&p, first + 1)]++;
        }
        for (size_t i = 0; i < COUNT * COUNT; i++) {
            if (i % (COUNT + 1) != 0)
                kept[n++] = seen[i];
        }
        cr_assert_lt(chi_score(kept, n, (double)KEYS / (double)n), 4);
    }
}

TEST(permutation, needs_no_memory_and_little_time)
{
    struct vv_permutation p =
        vv_permutation_of((const uint64_t[]){ 1, 2 }, 1000000007);
    uint64_t sum = 0;
    clock_t begin = clock();
    for (uint64_t i = 0; i < 100000; i++)
        sum += vv_permutation_at(&p, i);
    double each = (double)(clock() - begin) / CLOCKS_PER_SEC / 1e5;
    printf("ns each: %.0f\n", each * 1e9);
    cr_assert_gt(sum, 0);
    cr_assert_lt(each, 1e-4);
    cr_assert_eq(test_block_count(), 0);
}
