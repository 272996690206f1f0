/* test_allocator_pool_arena.c - Tests the arena allocator.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "allocator.h"

TEST(arena, returns_aligned_memory_that_does_not_overlap)
{
    enum { COUNT = 3000 };
    struct vv_arena arena;
    unsigned char **items = calloc(COUNT, sizeof *items);
    vv_arena_init(&arena, test_allocator());
    for (size_t i = 0; i < COUNT; i++) {
        size_t size = i % 100 == 99 ? 20000 : i % 77;
        items[i] = vv_arena_take(&arena, size);
        cr_assert_eq((uintptr_t)items[i] % _Alignof(uint64_t), 0);
        memset(items[i], (int)(i % 251), size);
    }
    for (size_t i = 0; i < COUNT; i++) {
        size_t size = i % 100 == 99 ? 20000 : i % 77;
        for (size_t k = 0; k < size; k++)
            cr_assert_eq(items[i][k], i % 251);
    }
    vv_arena_clear(&arena);
    cr_assert_eq(test_block_count(), 0);
    free(items);
}

TEST(arena, keeps_terminated_texts)
{
    struct vv_arena arena;
    vv_arena_init(&arena, test_allocator());
    char *name = vv_arena_text(&arena, "kernel/rest", 6);
    char *empty = vv_arena_text(&arena, NULL, 0);
    char *last = vv_arena_text(&arena, "bias", 4);
    cr_assert_str_eq(name, "kernel");
    cr_assert_str_eq(empty, "");
    cr_assert_str_eq(last, "bias");
    vv_arena_clear(&arena);
}

TEST(arena, uses_few_blocks_and_can_be_used_after_clearing)
{
    struct vv_arena arena;
    vv_arena_init(&arena, test_allocator());
    for (int round = 0; round < 2; round++) {
        test_fail_allocation(-1, false);
        for (int i = 0; i < 10000; i++)
            cr_assert(vv_arena_take(&arena, 10));
        cr_assert_leq(test_allocation_count(), 10);
        vv_arena_clear(&arena);
    }
}

TEST(arena, returns_null_without_memory_and_remains_usable)
{
    struct vv_arena arena;
    vv_arena_init(&arena, test_allocator());
    test_fail_allocation(0, true);
    cr_assert_null(vv_arena_take(&arena, 1));
    cr_assert_null(vv_arena_text(&arena, "x", 1));
    test_fail_allocation(-1, false);
    cr_assert_null(vv_arena_take(&arena, SIZE_MAX));
    cr_assert_null(vv_arena_take(&arena, SIZE_MAX - 20));
    cr_assert_eq(test_allocation_count(), 0, "a wrapped size was asked for");
    cr_assert_str_eq(vv_arena_text(&arena, "x", 1), "x");
    vv_arena_clear(&arena);
}
