/* test_ordered_code.c - lib/source/ordered_code.c
 *
 * The expected keys are those that TensorFlow's tests and files have.
 *
 * SPDX-License-Identifier: MIT
 */
#include "ordered_code.h"

#include <stdio.h>

#include "hex.h"

static void check(const char *name, size_t size, uint32_t rank,
    const int64_t *pairs, const char *hex)
{
    struct vv_buffer key;
    vv_buffer_init(&key, test_allocator());
    vv_slice_key(&key, name, size, rank, pairs);
    cr_assert(hex_equal(key.data, key.size, hex), "%s", hex);
    vv_buffer_clear(&key);
}

TEST(ordered_code, makes_the_keys_of_slices)
{
    check("foo", 3, 2, (int64_t[]){ 0, -1, 0, 1 },
        "00 66 6f 6f 00 01 01 02 80 7f 80 81");
    check("v", 1, 1, (int64_t[]){ 5000, 10000 },
        "00 76 00 01 01 01 d3 88 e0 27 10");
    check("a\0b\xff", 4, 0, NULL, "00 61 00ff 62 ff00 0001 00");
}

/* One number in the place of a start. */
static void check_number(int64_t value, const char *hex)
{
    char text[64];
    snprintf(text, sizeof text, "00 0001 0101 %s 80", hex);
    check("", 0, 1, (int64_t[]){ value, 0 }, text);
}

TEST(ordered_code, gives_numbers_as_many_bytes_as_they_need)
{
    check_number(0, "80");
    check_number(63, "bf");
    check_number(64, "c040");
    check_number(-64, "40");
    check_number(-65, "3fbf");
    check_number(-0x800, "3800");
    check_number(0x1fff, "dfff");
    check_number(0x2000, "e02000");
    check_number(INT64_C(1) << 40, "fd0000000000");
    check_number(INT64_C(1) << 54, "ff40000000000000");
    check_number(INT64_C(1) << 55, "ff8080000000000000");
    check_number(INT64_MAX, "ffc07fffffffffffffff");
    check_number(INT64_MIN, "003f8000000000000000");
}
