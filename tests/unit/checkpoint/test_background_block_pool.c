/* test_background_block_pool.c - Tests the pool of reusable blocks.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "background.h"

TEST(block_pool, reuses_blocks_that_are_large_enough)
{
    struct vv_block_pool pool = { .allocator = test_allocator() };
    struct vv_block *small = vv_block_take(&pool, 100);
    struct vv_block *large = vv_block_take(&pool, 20000);
    cr_assert_eq((uintptr_t)vv_block_bytes(large) % 4096, 0);
    memset(vv_block_bytes(large), 1, 20000);
    vv_block_give(&pool, large);
    vv_block_give(&pool, small);
    vv_block_give(&pool, NULL);
    cr_assert_eq(vv_block_take(&pool, 10000), large);
    vv_block_give(&pool, large);
    vv_block_pool_clear(&pool);
}

TEST(block_pool, frees_blocks_for_a_larger_one)
{
    struct vv_block_pool pool = { .allocator = test_allocator() };
    vv_block_give(&pool, vv_block_take(&pool, 100));
    cr_assert_eq(test_block_count(), 1);
    struct vv_block *large = vv_block_take(&pool, 200);
    cr_assert_eq(test_block_count(), 1);
    vv_block_give(&pool, large);
    test_fail_allocation(0, false);
    cr_assert_null(vv_block_take(&pool, 300));
    cr_assert_null(vv_block_take(&pool, SIZE_MAX));
    test_fail_allocation(-1, false);
    vv_block_pool_clear(&pool);
}
