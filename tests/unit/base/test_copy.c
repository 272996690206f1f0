/* test_copy.c - Tests copying with non-temporal stores at all alignments and
 * sizes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "copy.h"

#include <string.h>

enum { ROOM = 600, MUCH = 40000 };

static void fill(unsigned char *bytes, unsigned step)
{
    for (size_t i = 0; i < ROOM; i++)
        bytes[i] = (unsigned char)(i * step + 3);
}

TEST(copy, copies_exactly_the_bytes_at_any_offset_and_size)
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

TEST(copy, copies_every_byte_of_large_blocks)
{
    static unsigned char from[MUCH], to[MUCH + 200];
    for (size_t i = 0; i < MUCH; i++)
        from[i] = (unsigned char)(i * 7 + i / 251);
    for (size_t size = 4090; size < MUCH - 100; size += 97) {
        size_t out = size % 67;
        memset(to, 0, sizeof to);
        vv_copy_past_caches(to + out, from + size % 5, size);
        cr_assert_arr_eq(to + out, from + size % 5, size);
        for (size_t i = 0; i < 64; i++)
            cr_assert(to[out + size + i] == 0 && (i >= out || to[i] == 0));
    }
}
