/* test_bool_bytes.c - Tests the search for bytes other than 0 and 1.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "bool_bytes.h"

enum { ROOM = 300 };

TEST(bool_bytes, finds_the_first_invalid_byte_at_any_offset_and_size)
{
    unsigned char bytes[ROOM];
    static const unsigned char wrong[] = { 2, 3, 0x80, 0xff };
    for (size_t i = 0; i < ROOM; i++)
        bytes[i] = i % 3 == 1;
    for (size_t size = 0; size < 200; size++) {
        const unsigned char *from = bytes + size % 9;
        cr_assert_eq(vv_bool_bytes_find(from, size), size);
        for (size_t at = 0; at < size; at++) {
            unsigned char older = from[at];
            bytes[size % 9 + at] = wrong[at % 4];
            cr_assert_eq(vv_bool_bytes_find(from, size), at);
            bytes[size % 9 + at] = older;
        }
    }
}
