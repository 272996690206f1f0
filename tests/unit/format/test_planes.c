/* test_planes.c - lib/format/planes.c
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <string.h>

#include "planes.h"

enum { MOST = 700, EDGE = 0xee };

static uint8_t plain[MOST], apart[MOST + 1], together[MOST + 1];

/* Byte by byte, as docs/format.md has it. */
static void check(size_t size, unsigned planes)
{
    size_t count = size / planes;
    memset(apart, EDGE, sizeof apart);
    vv_planes_split(apart, plain, size, planes);
    for (size_t i = 0; i < count * planes; i++)
        cr_assert_eq(apart[i % planes * count + i / planes], plain[i],
            "byte %zu of %zu by %u", i, size, planes);
    cr_assert_eq(memcmp(apart + count * planes, plain + count * planes,
                     size - count * planes),
        0, "what is no whole element");
    cr_assert_eq(apart[size], EDGE);
    memset(together, EDGE, sizeof together);
    vv_planes_join(together, apart, size, planes);
    cr_assert_eq(memcmp(together, plain, size), 0, "%zu by %u", size, planes);
    cr_assert_eq(together[size], EDGE);
}

TEST(planes, are_put_apart_and_together_whatever_the_size)
{
    for (size_t i = 0; i < MOST; i++)
        plain[i] = (uint8_t)(i * 167 + i / 256);
    for (size_t size = 0; size <= MOST; size++) {
        check(size, 2);
        check(size, 4);
        check(size, 8);
    }
}

TEST(planes, lie_at_any_address)
{
    static uint8_t from[MOST], to[MOST], back[MOST];
    for (size_t i = 0; i < MOST; i++)
        from[i] = (uint8_t)(i * 31);
    for (size_t at = 0; at < 33; at++) {
        vv_planes_split(to + at, from + 32 - at, 600, 4);
        vv_planes_join(back + 1, to + at, 600, 4);
        cr_assert_eq(memcmp(back + 1, from + 32 - at, 600), 0, "%zu", at);
    }
}
