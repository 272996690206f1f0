/* test_allocator.c - Tests overflow checks, alignment and zeroing of
 * allocations.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "allocator.h"

#include <stdlib.h>
#include <string.h>

TEST(allocator, returns_null_for_size_0_and_frees_null)
{
    const varve_allocator *a = test_allocator();
    cr_assert_null(vv_allocate(a, 0));
    cr_assert_null(vv_allocate_zeroed(a, 0));
    cr_assert_null(vv_allocate_array(a, 0, 8));
    cr_assert_null(vv_allocate_aligned(a, 0, 64));
    vv_release(a, NULL, 0);
    vv_release_aligned(a, NULL, 0, 64);
    vv_release_string(a, NULL);
}

TEST(allocator, zeroes_memory_on_request)
{
    const varve_allocator *a = test_allocator();
    for (size_t size = 1; size < 3000; size += 37) {
        unsigned char *dirty = vv_allocate(a, size);
        memset(dirty, 0xff, size);
        vv_release(a, dirty, size);
        unsigned char *block = vv_allocate_zeroed(a, size);
        for (size_t i = 0; i < size; i++)
            cr_assert_eq(block[i], 0);
        vv_release(a, block, size);
    }
}

TEST(allocator, refuses_sizes_that_overflow)
{
    const varve_allocator *a = test_allocator();
    test_fail_allocation(-1, false);
    cr_assert_null(vv_allocate_array(a, SIZE_MAX / 8 + 1, 8));
    cr_assert_null(vv_allocate_array(a, SIZE_MAX, SIZE_MAX));
    cr_assert_null(vv_allocate_aligned(a, SIZE_MAX, 64));
    cr_assert_null(vv_allocate_aligned(a, SIZE_MAX - 71, 64));
    cr_assert_eq(test_allocation_count(), 0, "a wrapped size was asked for");
}

TEST(allocator, aligns_blocks)
{
    const varve_allocator *a = test_allocator();
    for (size_t alignment = 1; alignment <= 65536; alignment *= 2) {
        for (size_t size = 1; size < 200; size += 13) {
            unsigned char *block = vv_allocate_aligned(a, size, alignment);
            cr_assert_eq((uintptr_t)block % alignment, 0);
            memset(block, 0xa5, size);
            vv_release_aligned(a, block, size, alignment);
        }
    }
}

TEST(allocator, returns_null_without_memory)
{
    const varve_allocator *a = test_allocator();
    test_fail_allocation(0, true);
    cr_assert_null(vv_allocate(a, 1));
    cr_assert_null(vv_allocate_zeroed(a, 1));
    cr_assert_null(vv_allocate_array(a, 1, 1));
    cr_assert_null(vv_allocate_aligned(a, 1, 64));
    cr_assert_null(vv_copy_string(a, "one"));
}

TEST(allocator, copies_strings)
{
    const varve_allocator *a = test_allocator();
    char text[] = "layer";
    char *copy = vv_copy_string(a, text);
    text[0] = 'p';
    cr_assert_str_eq(copy, "layer");
    cr_assert_eq(test_byte_count(), 6);
    vv_release_string(a, copy);
}

TEST(allocator, grows_an_array_by_doubling_or_leaves_it_unchanged)
{
    uint32_t *numbers = NULL;
    size_t capacity = 0;
    for (size_t i = 0; i < 1000; i++) {
        cr_assert(vv_grow_array(
            test_allocator(), &numbers, &capacity, i, sizeof *numbers));
        cr_assert_gt(capacity, i);
        numbers[i] = (uint32_t)i;
    }
    cr_assert_eq(capacity, 1024);
    for (uint32_t i = 0; i < 1000; i++)
        cr_assert_eq(numbers[i], i);
    uint32_t *before = numbers;
    test_fail_allocation(0, false);
    cr_assert_not(vv_grow_array(
        test_allocator(), &numbers, &capacity, 1024, sizeof *numbers));
    cr_assert_not(vv_grow_array(test_allocator(), &numbers, &capacity,
        SIZE_MAX / 8, sizeof *numbers * 4));
    cr_assert_not(
        vv_grow_array(test_allocator(), &numbers, &capacity, SIZE_MAX, 1));
    cr_assert_eq(capacity, 1024);
    cr_assert_eq(numbers, before);
    vv_release(test_allocator(), numbers, capacity * sizeof *numbers);
}

TEST(allocator, grows_an_array_with_zeros_or_leaves_it_unchanged)
{
    uint32_t *numbers = NULL;
    size_t capacity = 0;
    for (size_t wanted = 3; wanted < 100; wanted *= 3) {
        cr_assert(vv_grow_zeroed(
            test_allocator(), &numbers, &capacity, wanted, sizeof *numbers));
        cr_assert_eq(capacity, wanted);
        for (size_t i = 0; i < wanted; i++) {
            cr_assert_eq(
                numbers[i], i < (wanted == 3 ? 0 : wanted / 3) ? 7u : 0u);
            numbers[i] = 7;
        }
    }
    test_fail_allocation(0, false);
    cr_assert_not(vv_grow_zeroed(
        test_allocator(), &numbers, &capacity, 1000, sizeof *numbers));
    cr_assert_eq(capacity, 81);
    vv_release(test_allocator(), numbers, capacity * sizeof *numbers);
}

/* --- Values ------------------------------------------------------------- */

static size_t mapped;

static void *resize_some(void *old, size_t size)
{
    if (size)
        return realloc(old, size);
    free(old);
    return NULL;
}

static void *map_some(size_t size)
{
    mapped += size;
    return calloc(1, size);
}

static void unmap_some(void *block, size_t size)
{
    mapped -= size;
    free(block);
}

TEST(allocator, uses_pages_for_large_values)
{
    struct vv_memory memory = { resize_some, map_some, unmap_some };
    const varve_allocator own = { vv_allocate_own, &memory };
    void *small = vv_allocate_value(&own, 1000);
    cr_assert_eq(mapped, 0);
    void *large = vv_allocate_value(&own, 200000);
    cr_assert_eq(mapped, 200000);
    vv_release_value(&own, large, 200000);
    cr_assert_eq(mapped, 0);
    vv_release_value(&own, small, 1000);
    vv_release_value(&own, NULL, 200000);
    cr_assert_eq(mapped, 0);
    void *block = vv_allocate(&own, 10 << 20);
    cr_assert_eq(mapped, 0);
    vv_release(&own, block, 10 << 20);
}

TEST(allocator, uses_blocks_if_pages_are_not_available)
{
    struct vv_memory memory = { .resize = resize_some };
    const varve_allocator own = { vv_allocate_own, &memory };
    unsigned char *value = vv_allocate_zeros(&own, 200001);
    for (size_t i = 0; i < 200001; i++)
        cr_assert_eq(value[i], 0);
    cr_assert_eq((uintptr_t)value % VV_MEMORY_ALIGNMENT, 0);
    vv_release_value(&own, value, 200001);
}

TEST(allocator, uses_the_callers_allocator_for_values)
{
    void *value = vv_allocate_value(test_allocator(), 200000);
    cr_assert_eq(test_block_count(), 1);
    cr_assert_eq((uintptr_t)value % VV_MEMORY_ALIGNMENT, 0);
    vv_release_value(test_allocator(), value, 200000);
    test_fail_allocation(0, false);
    cr_assert_null(vv_allocate_zeros(test_allocator(), 200000));
}
