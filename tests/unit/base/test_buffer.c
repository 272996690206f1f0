/* test_buffer.c - Tests the growing byte buffer.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <string.h>

#include "buffer.h"
#include "bytes.h"

TEST(buffer, contains_the_added_bytes)
{
    struct vv_buffer b;
    vv_buffer_init(&b, test_allocator());
    for (uint32_t i = 0; i < 1000; i++)
        vv_buffer_add32(&b, i);
    cr_assert_eq(b.size, 4000);
    for (uint32_t i = 0; i < 1000; i++)
        cr_assert_eq(vv_load32(b.data + 4 * i), i);
    vv_buffer_clear(&b);
}

TEST(buffer, uses_its_reserved_size_and_grows_beyond_it)
{
    struct vv_buffer b;
    vv_buffer_init(&b, test_allocator());
    vv_buffer_reserve(&b, 12);
    cr_assert_eq(test_byte_count(), 12);
    test_fail_allocation(0, true);
    for (uint32_t i = 0; i < 3; i++)
        vv_buffer_add32(&b, i);
    test_fail_allocation(-1, false);
    cr_assert_not(b.failed);
    vv_buffer_reserve(&b, 500);
    vv_buffer_add32(&b, 3);
    cr_assert_eq(b.size, 16);
    for (uint32_t i = 0; i < 4; i++)
        cr_assert_eq(vv_load32(b.data + 4 * i), i);
    vv_buffer_clear(&b);
    vv_buffer_reserve(&b, 0);
    test_fail_allocation(0, false);
    vv_buffer_reserve(&b, 8);
    test_fail_allocation(-1, false);
    vv_buffer_add8(&b, 1);
    cr_assert(!b.failed && b.size == 1);
    vv_buffer_clear(&b);
}

TEST(buffer, moves_its_content_to_another)
{
    struct vv_buffer from, b;
    varve_allocator same = *test_allocator();
    vv_buffer_init(&from, &same);
    vv_buffer_add_string(&from, "one");
    vv_buffer_move(&b, &from, test_allocator());
    cr_assert_str_eq(vv_buffer_string(&b), "one");
    cr_assert(b.allocator == test_allocator() && b.size == 3);
    cr_assert(from.allocator == &same && !from.data && !from.size);
    vv_buffer_swap(&from, &b);
    cr_assert(from.size == 3 && from.allocator == test_allocator());
    cr_assert(!b.data && b.allocator == &same);
    vv_buffer_clear(&from);
    vv_buffer_clear(&b);
}

TEST(buffer, records_a_failed_allocation)
{
    struct vv_buffer b;
    vv_buffer_init(&b, test_allocator());
    vv_buffer_add_string(&b, "one");
    test_fail_allocation(0, false);
    cr_assert_null(vv_buffer_extend(&b, 1000));
    vv_buffer_add_string(&b, "two");
    cr_assert(b.failed);
    cr_assert_eq(b.size, 3);
    vv_buffer_clear(&b);
    cr_assert_not(b.failed);
}

TEST(buffer, writes_numbers_little_endian)
{
    static const unsigned char expected[] = { 0xfe, 4, 3, 2, 1, 8, 7, 6, 5, 4,
        3, 2, 1 };
    struct vv_buffer b;
    vv_buffer_init(&b, test_allocator());
    vv_buffer_add8(&b, 0xfe);
    vv_buffer_add32(&b, 0x01020304);
    vv_buffer_add64(&b, UINT64_C(0x0102030405060708));
    cr_assert_eq(b.size, sizeof expected);
    cr_assert_arr_eq(b.data, expected, sizeof expected);
    vv_buffer_clear(&b);
}

TEST(buffer, has_a_terminator_that_is_not_counted)
{
    struct vv_buffer b;
    vv_buffer_init(&b, test_allocator());
    cr_assert_str_eq(vv_buffer_string(&b), "");
    for (size_t i = 1; i <= 200; i++) {
        vv_buffer_add_string(&b, "x");
        cr_assert_eq(strlen(vv_buffer_string(&b)), i);
        cr_assert_eq(b.size, i);
    }
    vv_buffer_clear(&b);
    test_fail_allocation(0, false);
    cr_assert_str_eq(vv_buffer_string(&b), "");
    cr_assert(b.failed);
    vv_buffer_clear(&b);
}

TEST(buffer, refuses_sizes_that_overflow)
{
    struct vv_buffer b;
    vv_buffer_init(&b, test_allocator());
    vv_buffer_add8(&b, 1);
    test_fail_allocation(-1, false);
    cr_assert_null(vv_buffer_extend(&b, SIZE_MAX));
    cr_assert(b.failed);
    cr_assert_eq(b.size, 1);
    vv_buffer_clear(&b);
    cr_assert_null(vv_buffer_extend(&b, SIZE_MAX - 8));
    cr_assert_eq(test_allocation_count(), 0, "a wrapped size was asked for");
    vv_buffer_clear(&b);
}

TEST(buffer, can_be_extended_by_0_bytes)
{
    struct vv_buffer b;
    vv_buffer_init(&b, test_allocator());
    vv_buffer_add(&b, NULL, 0);
    vv_buffer_add_string(&b, "");
    cr_assert_not_null(vv_buffer_extend(&b, 0));
    cr_assert_eq(b.size, 0);
    cr_assert_not(b.failed);
    vv_buffer_clear(&b);
}

TEST(buffer, reverses_its_end)
{
    static const char *const expected[] = { "edcba", "aedcb", "abedc", "abced",
        "abcde", "abcde" };
    for (size_t begin = 0; begin <= 5; begin++) {
        struct vv_buffer b;
        vv_buffer_init(&b, test_allocator());
        vv_buffer_add_string(&b, "abcde");
        vv_buffer_reverse(&b, begin);
        cr_assert_str_eq(vv_buffer_string(&b), expected[begin]);
        vv_buffer_clear(&b);
        vv_buffer_reverse(&b, 0);
    }
}
