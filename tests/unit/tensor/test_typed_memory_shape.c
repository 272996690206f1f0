/* test_typed_memory_shape.c - Tests the sizes of shapes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "typed_memory.h"

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

TEST(shape, determines_if_a_tensor_is_valid)
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

TEST(shape, includes_the_element_size)
{
    varve_tensor a = { .dtype = VARVE_INT16, .rank = 2, .shape = { 3, 4 } };
    cr_assert_eq(vv_tensor_size(&a), 24);
    a.rank = 0;
    cr_assert_eq(vv_tensor_size(&a), 2);
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
    a.rank = b.rank = UINT32_MAX; /* nothing is read past the array */
    cr_assert_not(vv_shape_equal(&a, &b));
}

TEST(shape, of_a_truncated_tensor_struct_is_copied)
{
    varve_tensor a = { .dtype = VARVE_INT8, .rank = 2, .shape = { 3, 4, 5 } };
    void *small = malloc(vv_tensor_bytes(2));
    memcpy(small, &a, vv_tensor_bytes(2));
    varve_tensor copy = vv_tensor_copy(small);
    free(small);
    cr_assert(vv_shape_equal(&copy, &a));
    cr_assert_eq(copy.dtype, VARVE_INT8);
    cr_assert_eq(copy.shape[2], 0);
}
