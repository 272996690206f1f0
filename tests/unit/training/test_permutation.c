/* test_permutation.c - Tests pseudorandom permutations.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "permutation.h"

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

TEST(permutation, has_every_number_once)
{
    for (uint64_t count = 0; count < 400; count++)
        check_all((const uint64_t[]){ count, 5 }, count);
    check_all((const uint64_t[]){ 1, 2 }, 65536);
    check_all((const uint64_t[]){ 1, 2 }, 99991);
}

TEST(permutation, stays_in_any_range)
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

/* Saved positions depend on it. */
TEST(permutation, never_changes)
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

/* Returns chi square as deviations of a normal distribution (Wilson and
 * Hilferty). */
static double chi_score(const double *seen, size_t count, double wanted)
{
    double sum = 0, k = (double)count - 1;
    for (size_t i = 0; i < count; i++)
        sum += (seen[i] - wanted) * (seen[i] - wanted) / wanted;
    double spread = 2 / (9 * k);
    return (cbrt(sum / k) - (1 - spread)) / sqrt(spread);
}

TEST(permutation, takes_every_order_of_few_as_often)
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

/* The images of a number and its successor: every pair must be equally
 * frequent. */
TEST(permutation, takes_neighbours_anywhere)
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

TEST(permutation, takes_no_memory_and_little_time)
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
