/* test_allocator_pool.c - Tests the pool allocator for items of one size.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "allocator.h"

TEST(pool, returns_zeroed_items_that_do_not_overlap)
{
    enum { COUNT = 30000 };
    static const size_t sizes[] = { 1, 8, 13, 24, 100 };
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        struct vv_pool pool;
        unsigned char **items = calloc(COUNT, sizeof *items);
        vv_pool_init(&pool, test_allocator(), sizes[s]);
        for (size_t i = 0; i < COUNT; i++) {
            items[i] = vv_pool_take(&pool);
            cr_assert_eq((uintptr_t)items[i] % sizeof(void *), 0);
            for (size_t k = 0; k < sizes[s]; k++)
                cr_assert_eq(items[i][k], 0);
            memset(items[i], (int)(i % 251 + 1), sizes[s]);
        }
        for (size_t i = 0; i < COUNT; i++) {
            for (size_t k = 0; k < sizes[s]; k++)
                cr_assert_eq(items[i][k], i % 251 + 1);
        }
        vv_pool_clear(&pool);
        free(items);
    }
}

TEST(pool, reuses_returned_items_zeroed)
{
    enum { COUNT = 100 };
    struct vv_pool pool;
    void *items[COUNT];
    vv_pool_init(&pool, test_allocator(), 40);
    for (size_t i = 0; i < COUNT; i++)
        items[i] = memset(vv_pool_take(&pool), 0xff, 40);
    test_fail_allocation(0, true); /* no allocation is needed */
    for (size_t i = 0; i < COUNT; i++)
        vv_pool_give(&pool, items[i]);
    for (size_t i = COUNT; i-- > 0;) {
        unsigned char *item = vv_pool_take(&pool);
        cr_assert_eq(item, items[i]);
        for (size_t k = 0; k < 40; k++)
            cr_assert_eq(item[k], 0);
    }
    test_fail_allocation(-1, false);
    vv_pool_clear(&pool);
}

TEST(pool, uses_few_blocks_and_can_be_used_after_clearing)
{
    struct vv_pool pool;
    vv_pool_init(&pool, test_allocator(), 64);
    for (int round = 0; round < 2; round++) {
        test_fail_allocation(-1, false);
        for (int i = 0; i < 100000; i++)
            cr_assert(vv_pool_take(&pool));
        cr_assert_lt(test_allocation_count(), 25);
        vv_pool_clear(&pool);
        cr_assert_eq(test_block_count(), 0);
    }
}

TEST(pool, remains_usable_after_a_failed_allocation)
{
    struct vv_pool pool;
    vv_pool_init(&pool, test_allocator(), 8);
    size_t taken = 0;
    test_fail_allocation(1, true);
    while (vv_pool_take(&pool))
        taken++;
    cr_assert_gt(taken, 0);
    cr_assert_null(vv_pool_take(&pool));
    test_fail_allocation(-1, false);
    cr_assert(vv_pool_take(&pool));
    vv_pool_clear(&pool);
}

/* Aligns every block to 8 but not to 16. */
static void *allocate_by_eight(
    void *user, void *old, size_t old_size, size_t new_size)
{
    char *outer = old ? (char *)old - 8 : NULL;
    (void)user;
    outer = test_allocator()->function(NULL, outer, old_size ? old_size + 8 : 0,
        new_size ? new_size + 8 : 0);
    return outer ? outer + 8 : NULL;
}

TEST(pool, works_with_blocks_aligned_to_8_bytes)
{
    const varve_allocator a = { .function = allocate_by_eight };
    struct vv_pool pool;
    vv_pool_init(&pool, &a, 24);
    for (int i = 0; i < 100; i++) {
        uint64_t *item = vv_pool_take(&pool);
        cr_assert(item && (uintptr_t)item % 8 == 0);
        *item = 1;
    }
    vv_pool_clear(&pool);
    varve_graph *graph = varve_graph_new(&a);
    varve_node *list = varve_add_list(varve_graph_root(graph), "list");
    for (int i = 0; i < 100; i++) {
        varve_node *node = varve_add_allocated_variable(list, VARVE_APPEND,
            VARVE_COMPLEX128, VARVE_SHAPE(3), NULL, NULL);
        cr_assert_eq((uintptr_t)varve_data(node) % 64, 0);
    }
    varve_error error;
    cr_assert_ok(varve_write(varve_graph_root(graph), test_path("f"), NULL,
                     &error), error);
    varve_restoration_free(varve_read(varve_graph_root(graph), test_path("f"),
        NULL, &error));
    cr_assert_ok(varve_graph_check(graph, &error), error);
    varve_graph_free(graph);
}

/* Reads past an item are allowed under AddressSanitizer too, even if the next
 * items are free. */
TEST(pool, allows_reads_past_the_end_of_an_item)
{
    enum { COUNT = 5000, SIZE = 24, SLACK = 100 };
    struct vv_pool pool;
    unsigned char *items[COUNT];
    unsigned char copy[SIZE + SLACK];
    vv_pool_init(&pool, test_allocator(), SIZE);
    vv_pool_allow(&pool, SLACK);
    for (int i = 0; i < COUNT; i++)
        items[i] = memset(vv_pool_take(&pool), i % 251, SIZE);
    for (int i = 0; i < COUNT; i += 2)
        vv_pool_give(&pool, items[i]);
    for (int i = 1; i < COUNT; i += 2) {
        memcpy(copy, items[i], sizeof copy);
        cr_assert_eq(copy[SIZE - 1], i % 251);
    }
    vv_pool_clear(&pool);
}

