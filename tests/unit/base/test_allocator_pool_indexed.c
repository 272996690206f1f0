/* test_allocator_pool_indexed.c - Tests pools whose items are identified by
 * numbers.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <string.h>

#include "allocator.h"

/* More than the blocks that double in size: two more of the largest size. */
enum { COUNT = (4 << VV_INDEXED_POOL_MOST_LOG) - 16 };

TEST(indexed_pool, finds_each_item_by_its_number)
{
    static uint32_t *items[COUNT + 1];
    struct vv_indexed_pool indexed_pool;
    vv_indexed_pool_init(&indexed_pool, test_allocator(), 6);
    for (uint32_t i = 1; i <= COUNT; i++) {
        uint32_t number = 0;
        items[i] = vv_indexed_pool_take(&indexed_pool, &number);
        cr_assert(items[i] && number == i && *items[i] == 0);
        *items[i] = i;
    }
    for (uint32_t i = 1; i <= COUNT; i++)
        if (vv_indexed_pool_at(&indexed_pool, i) != items[i] || *items[i] != i)
            cr_assert_fail("%u", i);
    cr_assert_null(vv_indexed_pool_at(&indexed_pool, 0));
    vv_indexed_pool_clear(&indexed_pool);
}

TEST(indexed_pool, reuses_a_number_with_a_zeroed_item)
{
    enum { FEW = 100 };
    struct vv_indexed_pool indexed_pool;
    uint32_t number;
    vv_indexed_pool_init(&indexed_pool, test_allocator(), 24);
    for (int i = 0; i < FEW; i++)
        memset(vv_indexed_pool_take(&indexed_pool, &number), 0xff, 24);
    long blocks = test_block_count();
    for (uint32_t i = 1; i <= FEW; i += 3)
        vv_indexed_pool_give(&indexed_pool, i);
    for (uint32_t i = 1; i <= FEW; i += 3) {
        const uint64_t *item = vv_indexed_pool_take(&indexed_pool, &number);
        cr_assert(number <= FEW && number % 3 == 1);
        cr_assert(item[0] == 0 && item[1] == 0 && item[2] == 0);
    }
    cr_assert_eq(test_block_count(), blocks);
    vv_indexed_pool_take(&indexed_pool, &number);
    cr_assert_eq(number, FEW + 1);
    vv_indexed_pool_clear(&indexed_pool);
}

TEST(indexed_pool, is_unchanged_if_it_cannot_grow)
{
    struct vv_indexed_pool indexed_pool;
    int failures = 0;
    vv_indexed_pool_init(&indexed_pool, test_allocator(), 8);
    for (uint32_t i = 1; i < 1000; i++) {
        uint32_t number = 0;
        for (long n = 0; number == 0; n++) {
            test_fail_allocation(n, false);
            uint32_t *item = vv_indexed_pool_take(&indexed_pool, &number);
            test_fail_allocation(-1, false);
            cr_assert_eq(item == NULL, number == 0);
            failures += !item;
        }
        cr_assert_eq(number, i);
    }
    cr_assert_gt(failures, 6);
    vv_indexed_pool_clear(&indexed_pool);
}
