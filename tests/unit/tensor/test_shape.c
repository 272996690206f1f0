/* test_shape.c - lib/tensor/shape.c
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "shape.h"

#define BIG (UINT64_C(1) << 32)

TEST(shape, is_counted_without_overflow)
{
    static const struct {
        uint32_t rank;
        uint64_t extents[VARVE_MAX_RANK];
        bool fits;
        uint64_t count;
    } cases[] = {
        { 0, { 0 }, true, 1 },
        { 1, { 0 }, true, 0 },
        { 1, { UINT64_MAX }, true, UINT64_MAX },
        { 2, { 784, 10 }, true, 7840 },
        { 2, { BIG, BIG - 1 }, true, BIG * (BIG - 1) },
        { 2, { BIG, BIG }, false, 0 },
        { 2, { UINT64_MAX, 2 }, false, 0 },
        { 3, { BIG, BIG, 0 }, true, 0 },
        { 3, { 0, BIG, BIG }, true, 0 },
        { 4, { BIG, BIG, BIG, BIG }, false, 0 }, /* wraps to 0 */
        { 16, { 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2 }, true, 65536 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t count = 99;
        cr_assert_eq(
            vv_shape_count(cases[i].rank, cases[i].extents, &count),
            cases[i].fits, "case %zu", i);
        cr_assert_eq(count, cases[i].fits ? cases[i].count : 99);
    }
}

TEST(shape, has_a_size_without_overflow)
{
    uint64_t total = 99;
    cr_assert(vv_size_of(BIG, BIG - 1, &total));
    cr_assert_eq(total, BIG * (BIG - 1));
    cr_assert(vv_size_of(0, UINT64_MAX, &total));
    cr_assert_eq(total, 0);
    total = 99;
    cr_assert_not(vv_size_of(BIG, BIG, &total));
    cr_assert_not(vv_size_of(UINT64_MAX / 8 + 1, 8, &total));
    cr_assert_eq(total, 99);
}

static bool is_valid(unsigned dtype, uint32_t rank, uint64_t a, uint64_t b)
{
    varve_tensor tensor = { .dtype = (varve_dtype)dtype, .rank = rank };
    for (uint32_t i = 0; i < VARVE_MAX_RANK; i++)
        tensor.shape[i] = i == 0 ? a : i == 1 ? b : 1;
    return vv_tensor_is_valid(&tensor);
}

TEST(shape, makes_a_tensor_valid_or_not)
{
    cr_assert(is_valid(VARVE_FLOAT32, 0, 0, 0));
    cr_assert(is_valid(VARVE_FLOAT32, 16, 784, 10));
    cr_assert(is_valid(VARVE_STRING, 2, 0, UINT64_MAX));
    cr_assert_not(is_valid(VARVE_FLOAT32, 17, 1, 1));
    cr_assert_not(is_valid(VARVE_FLOAT32, UINT32_MAX, 1, 1));
    cr_assert_not(is_valid(0, 1, 1, 1));
    cr_assert_not(is_valid(19, 1, 1, 1));
    cr_assert_not(is_valid(VARVE_BOOL, 2, BIG, BIG));
    cr_assert(is_valid(VARVE_FLOAT64, 1, SIZE_MAX / 8, 1));
    cr_assert_not(is_valid(VARVE_FLOAT64, 1, SIZE_MAX / 8 + 1, 1));
    cr_assert_not(is_valid(VARVE_STRING, 1, SIZE_MAX / 16 + 1, 1));
}

TEST(shape, is_compared_by_rank_and_extents_only)
{
    varve_tensor a = { .dtype = VARVE_INT8, .rank = 2, .shape = { 3, 4, 5 } };
    varve_tensor b = { .dtype = VARVE_BOOL, .rank = 2, .shape = { 3, 4, 6 } };
    cr_assert(vv_shape_equal(&a, &b));
    b.rank = 3;
    cr_assert_not(vv_shape_equal(&a, &b));
    a.rank = 3;
    cr_assert_not(vv_shape_equal(&a, &b));
    a.rank = b.rank = 0;
    cr_assert(vv_shape_equal(&a, &b));
    a.rank = b.rank = UINT32_MAX; /* nothing is read behind the array */
    cr_assert_not(vv_shape_equal(&a, &b));
}

/* --- Boxes -------------------------------------------------------------- */

enum { MOST_ELEMENTS = 1 << 16 };

/* For each element of `to`, the one of `from` at the same place, or -1. */
static void place_plainly(const varve_tensor *from, const varve_tensor *to,
    int64_t *places, uint64_t count)
{
    for (uint64_t number = 0; number < count; number++) {
        uint64_t rest = number, found = 0, step = 1;
        bool inside = true;
        for (uint32_t i = to->rank; i-- > 0;) {
            uint64_t at = rest % to->shape[i];
            rest /= to->shape[i];
            inside = inside && at < from->shape[i];
            found += at * step;
            step *= from->shape[i];
        }
        places[number] = inside ? (int64_t)found : -1;
    }
}

static uint64_t check_box(const varve_tensor *from, const varve_tensor *to)
{
    static int64_t places[MOST_ELEMENTS];
    struct vv_box box;
    uint64_t count, a, b, run, runs = 0, last = 0;
    cr_assert(vv_shape_count(to->rank, to->shape, &count));
    cr_assert_leq(count, MOST_ELEMENTS);
    place_plainly(from, to, places, count);
    vv_box_begin(&box, from, to);
    for (; vv_box_next(&box, &a, &b, &run); runs++) {
        cr_assert_gt(run, 0);
        cr_assert(runs == 0 || b > last, "runs go forward");
        cr_assert_leq(b + run, count);
        for (uint64_t i = 0; i < run; i++) {
            cr_assert(places[b + i] == (int64_t)(a + i));
            places[b + i] = -1;
        }
        last = b;
    }
    for (uint64_t i = 0; i < count; i++)
        cr_assert(places[i] == -1, "an element was left out");
    cr_assert_not(vv_box_next(&box, &a, &b, &run));
    return runs;
}

TEST(box, gives_what_both_shapes_cover_and_nothing_else)
{
    srand(1);
    for (int i = 0; i < 4000; i++) {
        varve_tensor from = { .rank = (uint32_t)(rand() % 7) };
        varve_tensor to = { .rank = from.rank };
        for (uint32_t k = 0; k < from.rank; k++) {
            from.shape[k] = (uint64_t)(rand() % 5 + (rand() % 8 != 0));
            to.shape[k] = rand() % 2 ? from.shape[k]
                                     : (uint64_t)(rand() % 5 + 1);
        }
        check_box(&from, &to);
    }
}

TEST(box, has_any_rank)
{
    for (uint32_t rank = 0; rank <= VARVE_MAX_RANK; rank++) {
        varve_tensor from = { .rank = rank }, to = { .rank = rank };
        for (uint32_t i = 0; i < rank; i++) {
            from.shape[i] = i % 3 == 0 ? 2 : 1 + i % 2;
            to.shape[i] = i % 4 == 0 ? 1 : 2;
        }
        check_box(&from, &to);
        check_box(&to, &from);
        cr_assert_eq(check_box(&to, &to), 1, "equal shapes are one run");
    }
}

TEST(box, is_empty_where_an_extent_is_0)
{
    varve_tensor from = { .rank = 3, .shape = { UINT64_MAX, 0, UINT64_MAX } };
    varve_tensor to = { .rank = 3, .shape = { 2, 3, 4 } };
    cr_assert_eq(check_box(&from, &to), 0);
    struct vv_box box;
    uint64_t a, b, run;
    vv_box_begin(&box, &to, &from);
    cr_assert_not(vv_box_next(&box, &a, &b, &run));
    vv_box_begin(&box, &from, &from);
    cr_assert_not(vv_box_next(&box, &a, &b, &run));
}

TEST(box, goes_in_few_long_runs)
{
    varve_tensor from = { .rank = 3, .shape = { 50, 8, 8 } };
    varve_tensor to = { .rank = 3, .shape = { 20, 8, 8 } };
    cr_assert_eq(check_box(&from, &to), 1);
    to.shape[1] = 5;
    cr_assert_eq(check_box(&from, &to), 20);
}
