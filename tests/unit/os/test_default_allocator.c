/* test_default_allocator.c - Tests the default allocator.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "allocator.h"
#include "default_allocator.h"

#include <string.h>

TEST(default_allocator, falls_back_to_realloc_and_free)
{
    varve_allocator none = { 0 };
    varve_allocator a = vv_allocator_or_default(NULL);
    varve_allocator b = vv_allocator_or_default(&none);
    cr_assert(a.function && a.function == b.function);
    char *block = vv_allocate(&a, 10);
    memset(block, 7, 10);
    block = vv_reallocate(&a, block, 10, 100000);
    for (size_t i = 0; i < 10; i++)
        cr_assert_eq(block[i], 7);
    vv_release(&a, block, 100000);
}

TEST(default_allocator, uses_the_function_of_the_caller)
{
    varve_allocator a = vv_allocator_or_default(test_allocator());
    void *block = vv_allocate(&a, 10);
    cr_assert_eq(test_block_count(), 1);
    cr_assert_eq(test_byte_count(), 10);
    vv_release(&a, block, 10);
}

TEST(default_allocator, keeps_the_content_of_large_resized_blocks)
{
    varve_allocator a = vv_allocator_or_default(NULL);
    size_t sizes[] = { 1, 4 << 20, (9 << 20) + 5, 70 << 20, 5 << 20, 3 };
    size_t old = 0;
    unsigned char *block = NULL;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        block = vv_reallocate(&a, block, old, sizes[i]);
        size_t kept = old < sizes[i] ? old : sizes[i];
        for (size_t k = 0; k < kept; k += 4093)
            cr_assert_eq(block[k], (unsigned char)(k % 251));
        old = sizes[i];
        for (size_t k = 0; k < old; k += 4093)
            block[k] = (unsigned char)(k % 251);
    }
    vv_release(&a, block, old);
}
