/* test_placement.c - Tests the placement of variables on servers.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <stdio.h>

#include "support/proof.h"

enum { PATHS = 4000, MOST_SERVERS = 12 };

static varve_tensor of(varve_dtype dtype, uint64_t rows, uint64_t columns)
{
    return varve_view(NULL, dtype, VARVE_SHAPE(rows, columns));
}

TEST(placement, round_robin_uses_each_server_in_turn)
{
    const uint32_t expected[] = { 0, 1, 2, 0, 1, 2, 0 };
    for (uint32_t i = 0; i < 7; i++)
        cr_assert_eq(varve_place_round_robin(i, 3), expected[i]);
    cr_assert_eq(varve_place_round_robin(UINT64_MAX, 2), 1);
    cr_assert_eq(varve_place_round_robin(5, 0), 0);
}

/* As numpy's argmin: the first of several. */
TEST(placement, by_load_uses_the_first_of_the_least_loaded)
{
    const uint64_t sizes[] = { 10, 2, 2, 3, 1, 5, 0, 0 };
    const uint32_t expected[] = { 0, 1, 2, 1, 2, 2, 1, 1 };
    uint64_t loads[3] = { 0 };
    for (uint32_t i = 0; i < 8; i++)
        cr_assert_eq(varve_place_by_load(loads, 3, sizes[i]), expected[i]);
    cr_assert(loads[0] == 10 && loads[1] == 5 && loads[2] == 8);
    cr_assert_eq(varve_place_by_load(loads, 1, UINT64_MAX), 0);
    cr_assert_eq(loads[0], UINT64_MAX);
    cr_assert_eq(varve_place_by_load(NULL, 0, 1), 0);
}

/* No server exceeds the least loaded one by more than one value. */
TEST(placement, by_load_keeps_the_loads_close_together)
{
    uint64_t random = proof_seed();
    for (uint64_t round = 0; round < proof_size(200, 10000); round++) {
        uint64_t loads[MOST_SERVERS] = { 0 }, largest = 0;
        uint32_t servers = 1 + (uint32_t)(proof_next(&random) % MOST_SERVERS);
        for (int i = 0; i < 100; i++) {
            uint64_t load = proof_next(&random) % 1000000;
            largest = load > largest ? load : largest;
            varve_place_by_load(loads, servers, load);
        }
        for (uint32_t i = 0; i < servers; i++)
            for (uint32_t j = 0; j < servers; j++)
                cr_assert_leq(loads[i], loads[j] + largest);
    }
}

static const char *path_of(int number)
{
    static char path[64];
    snprintf(path, sizeof path, "model/layers/%d/kernel", number);
    return path;
}

/* These results must not change, since other programs may have used the
 * placement. */
TEST(placement, by_path_is_the_same_on_every_machine)
{
    static const char *const names[] = { "red", "green", "blue" };
    const uint32_t by_number[] = { 0, 0, 2, 3, 4, 2, 1, 1 };
    const uint32_t by_name[] = { 0, 1, 0, 0, 2, 1, 0, 2 };
    for (int i = 0; i < 8; i++) {
        cr_assert_eq(
            varve_place_by_path(path_of(i), NULL, 5), by_number[i], "%d", i);
        cr_assert_eq(
            varve_place_by_path(path_of(i), names, 3), by_name[i], "%d", i);
    }
    cr_assert_eq(varve_place_by_path("x", NULL, 0), 0);
}

TEST(placement, by_path_distributes_evenly_and_moves_few)
{
    for (uint32_t servers = 1; servers < MOST_SERVERS; servers++) {
        uint32_t counts[MOST_SERVERS] = { 0 }, moved = 0;
        for (int i = 0; i < PATHS; i++) {
            uint32_t before = varve_place_by_path(path_of(i), NULL, servers);
            uint32_t after = varve_place_by_path(path_of(i), NULL, servers + 1);
            counts[before]++;
            moved += before != after;
            cr_assert(after == before || after == servers,
                "moved between servers that were there before");
        }
        uint32_t even = PATHS / servers, even_after = PATHS / (servers + 1);
        for (uint32_t i = 0; i < servers; i++)
            cr_assert(counts[i] > even * 3 / 4 && counts[i] < even * 5 / 4);
        cr_assert(moved > even_after * 3 / 4 && moved < even_after * 5 / 4);
    }
}

/* The placement depends on names, not on positions in the list. */
TEST(placement, by_path_moves_only_values_of_a_removed_server)
{
    static const char *const before[] = { "a", "b", "c", "d", "e" };
    static const char *const after[] = { "e", "a", "d", "b" };
    for (int i = 0; i < PATHS; i++) {
        const char *was = before[varve_place_by_path(path_of(i), before, 5)];
        const char *is = after[varve_place_by_path(path_of(i), after, 4)];
        cr_assert(was[0] == is[0] || was[0] == 'c');
    }
}

/* The examples of TensorFlow's documentation. */
TEST(placement, counts_parts_as_tensorflow_does)
{
    const varve_tensor six = of(VARVE_FLOAT32, 6, 1);
    cr_assert_eq(varve_parts_at_most(&six, 0, 4, 0), 6);
    cr_assert_eq(varve_parts_at_most(&six, 0, 4, 2), 2);
    cr_assert_eq(varve_parts_at_most(&six, 0, 1024, 0), 1);
    cr_assert_eq(varve_parts_at_least(&six, 0, 4, 2), 2);
    cr_assert_eq(varve_parts_at_least(&six, 0, 4, 10), 6);
    const varve_tensor square = of(VARVE_FLOAT32, 1024, 1024);
    cr_assert_eq(varve_parts_at_least(&square, 0, 256 << 10, 100), 16);
    cr_assert_eq(varve_parts_at_least(&square, 0, 256 << 10, 7), 7);
    cr_assert_eq(varve_parts_at_least(&square, 1, 300 << 10, 0), 14);
    const varve_tensor words = of(VARVE_STRING, 8, 4);
    cr_assert_eq(varve_parts_at_most(&words, 0, 128, 0), 4);
    cr_assert_eq(varve_parts_at_most(&words, 1, 128, 0), 4);
}

TEST(placement, gives_one_part_for_values_that_cannot_be_split)
{
    float number = 1;
    const varve_tensor scalar = varve_scalar(&number);
    const varve_tensor none = of(VARVE_FLOAT64, 0, 3);
    cr_assert_eq(varve_parts_at_most(&scalar, 0, 1, 0), 1);
    cr_assert_eq(varve_parts_at_least(&scalar, 0, 1, 9), 1);
    cr_assert_eq(varve_parts_at_most(&none, 0, 1, 0), 1);
    cr_assert_eq(varve_parts_at_most(&none, 1, 1, 0), 1);
    cr_assert_eq(varve_parts_at_least(&none, 0, 0, 0), 1);
    const varve_tensor long_one = of(VARVE_UINT8, UINT64_MAX, 1);
    cr_assert_eq(varve_parts_at_most(&long_one, 0, 0, 0), UINT64_MAX);
    cr_assert_eq(varve_part_at(&long_one, 0, 3, 2).extents[0], UINT64_MAX / 3);
    varve_box all = varve_part_at(&none, 2, 5, 4);
    cr_assert(all.extents[0] == 0 && all.extents[1] == 3);
}

/* Parts are contiguous up to the end, as equal as possible, and do not exceed a
 * given largest size. */
TEST(placement, splits_into_parts_that_cover_the_value)
{
    uint64_t random = proof_seed();
    for (uint64_t round = 0; round < proof_size(2000, 200000); round++) {
        uint32_t dimension = (uint32_t)(proof_next(&random) % 2);
        varve_tensor value = of(VARVE_INT16, proof_next(&random) % 50,
            proof_next(&random) % 50);
        uint64_t most = 1 + proof_next(&random) % 4000;
        uint64_t row = value.shape[!dimension] * 2, at = 0;
        uint64_t parts = varve_parts_at_most(&value, dimension, most, 0);
        for (uint64_t i = 0; i < parts; i++) {
            varve_box box = varve_part_at(&value, dimension, parts, i);
            uint64_t rows = box.extents[dimension];
            cr_assert_eq(box.start[dimension], at);
            cr_assert_eq(box.extents[!dimension], value.shape[!dimension]);
            cr_assert(rows * row <= most || rows == 1);
            cr_assert(rows - value.shape[dimension] / parts <= 1);
            at += rows;
        }
        cr_assert_eq(at, value.shape[dimension]);
        varve_box none = varve_part_at(&value, dimension, parts, parts);
        cr_assert_eq(none.extents[dimension], 0);
    }
}
