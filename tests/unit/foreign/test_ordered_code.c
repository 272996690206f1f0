/* test_ordered_code.c - Tests the encoding of slice keys.
 *
 * SPDX-License-Identifier: MIT
 */
#include "ordered_code.h"

#include "hex.h"

static void check(const char *name, size_t size, uint32_t rank,
    const int64_t *pairs, const char *expected)
{
    struct vv_buffer key;
    vv_buffer_init(&key, test_allocator());
    vv_buffer_add8(&key, 7); /* previous content is removed */
    vv_slice_key(&key, name, size, rank, pairs);
    cr_assert_not(key.failed);
    cr_assert(hex_equal(key.data, key.size, expected), "%s", expected);
    vv_buffer_clear(&key);
}

/* The key is 00, the name and its end, the number of dimensions, and numbers of
 * one or more bytes. */
static void check_number(int64_t value, const char *expected)
{
    char text[64] = "00 76 0001 0101 80 ";
    strcat(text, expected);
    check("v", 1, 1, (int64_t[]){ 0, value }, text);
}

TEST(ordered_code, encodes_the_keys_of_tensorflow)
{
    check("foo", 3, 2, (int64_t[]){ 0, -1, 0, 1 },
        "00 666f6f0001 0102 80 7f 80 81");
    check("v", 1, 1, (int64_t[]){ 5000, 10000 }, "00 76 0001 0101 d388 e02710");
}

TEST(ordered_code, escapes_the_bytes_that_end_a_name)
{
    check("a\0b\xff" "c", 5, 0, NULL, "00 61 00ff 62 ff00 63 0001 00");
    check("", 0, 0, NULL, "00 0001 00");
}

TEST(ordered_code, encodes_each_number_in_its_shortest_form)
{
    check_number(0, "80");
    check_number(-1, "7f");
    check_number(63, "bf");
    check_number(64, "c040");
    check_number(-64, "40");
    check_number(-65, "3fbf");
    check_number(8191, "dfff");
    check_number(8192, "e02000");
    check_number(-0x800, "3800");
    check_number(INT64_C(1) << 20, "f0100000");
    check_number((INT64_C(1) << 55) - 1, "ff7fffffffffffff");
    check_number(INT64_C(1) << 55, "ff80 80000000000000");
    check_number(INT64_MAX, "ffc0 7fffffffffffffff");
    check_number(INT64_MIN, "003f 8000000000000000");
}

TEST(ordered_code, records_a_failed_allocation)
{
    struct vv_buffer key;
    vv_buffer_init(&key, test_allocator());
    test_fail_allocation(0, false);
    vv_slice_key(&key, "v", 1, 1, (int64_t[]){ 0, 1 });
    test_fail_allocation(-1, false);
    cr_assert(key.failed);
    vv_buffer_clear(&key);
}
