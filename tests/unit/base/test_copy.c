/* test_copy.c - lib/base/copy.c
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "copy.h"

enum { ROOM = 600 };

static void fill(unsigned char *bytes, unsigned step)
{
    for (size_t i = 0; i < ROOM; i++)
        bytes[i] = (unsigned char)(i * step + 3);
}

TEST(copy, copies_every_byte_and_no_other_at_any_place_and_size)
{
    _Alignas(64) unsigned char from[ROOM], to[ROOM], before[ROOM];
    fill(from, 7);
    fill(before, 11);
    for (size_t out = 0; out < 70; out++) {
        for (size_t size = 0; size < 300; size += 1 + size / 40) {
            size_t in = (out * 13 + size) % 67;
            fill(to, 11);
            vv_copy_past_caches(to + out, from + in, size);
            cr_assert_arr_eq(to, before, out);
            cr_assert_arr_eq(to + out, from + in, size);
            cr_assert_arr_eq(
                to + out + size, before + out + size, ROOM - out - size);
        }
    }
}
