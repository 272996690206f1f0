/* test_index_value_table.c - Tests the table of values.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "buffer.h"
#include "index.h"
#include "layout.h"

/* Value i has i % 5 extents and i % 4 chunks, or one chunk. */
static uint32_t chunks_of(uint32_t i, bool one_each)
{
    return one_each && i != 40 ? 1 : i % 4;
}

static void check_table(uint32_t count, bool one_each)
{
    struct vv_buffer ranks, sizes;
    struct vv_value_table table = { 0 }, copy = { 0 };
    varve_error error = { 0 };
    vv_buffer_init(&ranks, test_allocator());
    vv_buffer_init(&sizes, test_allocator());
    for (uint32_t i = 0; i < count; i++) {
        vv_buffer_add8(&ranks, (uint8_t)(i % 5));
        vv_buffer_add64(
            &sizes, (uint64_t)chunks_of(i, one_each) * VV_CHUNK_SIZE);
    }
    struct vv_index index = { .value_count = count,
        .value_ranks = ranks.data, .value_sizes = sizes.data };
    cr_assert_ok(
        vv_value_table_make(&table, test_allocator(), &index, &error), error);
    cr_assert_ok(
        vv_value_table_make(&copy, test_allocator(), &index, &error), error);
    vv_value_table_fill(&table, &index);
    vv_value_table_copy(&copy, &table);
    uint64_t extents = 0, digests = 0;
    for (uint32_t i = 0; i <= count; i++) {
        cr_assert_eq(vv_first_extent(&index, &table, i), extents);
        cr_assert_eq(vv_first_digest(&index, &table, i), digests);
        cr_assert_eq(vv_first_extent(&index, &copy, i), extents);
        cr_assert_eq(vv_first_digest(&index, &copy, i), digests);
        if (i % VV_VALUE_STEP == 0)
            cr_assert_eq(table.extents[i / VV_VALUE_STEP], extents);
        extents += i % 5;
        digests += chunks_of(i, one_each);
    }
    vv_value_table_clear(&table, test_allocator());
    vv_value_table_clear(&copy, test_allocator());
    vv_buffer_clear(&ranks);
    vv_buffer_clear(&sizes);
}

static void check_count(uint32_t count)
{
    check_table(count, false);
    check_table(count, true);
}

TEST(value_table, has_the_prefix_sums_of_every_value)
{
    check_count(0);
    check_count(1);
    check_count(VV_VALUE_STEP - 1);
    check_count(VV_VALUE_STEP);
    check_count(VV_VALUE_STEP + 1);
    check_count(5 * VV_VALUE_STEP + 3);
}

TEST(value_table, fails_without_memory_and_is_cleared_when_zeroed)
{
    struct vv_value_table table = { 0 };
    varve_error error = { 0 };
    struct vv_index index = { .value_count = 40 };
    test_fail_allocation(0, false);
    cr_assert_eq(vv_value_table_make(&table, test_allocator(), &index, &error),
        VARVE_NO_MEMORY);
    test_fail_allocation(-1, false);
    vv_value_table_clear(&table, test_allocator());
    table = (struct vv_value_table){ 0 };
    vv_value_table_clear(&table, test_allocator());
    cr_assert_eq(test_block_count(), 0);
}
