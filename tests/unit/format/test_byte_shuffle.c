/* test_byte_shuffle.c - Tests the byte shuffle.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <string.h>

#include "byte_shuffle.h"

enum { MOST = 180, EDGE = 0xee };

static uint8_t plain[MOST * 8], apart[8][MOST + 1], together[MOST * 8 + 1];

/* Compares with the byte-by-byte definition of docs/format.md. */
static void check(size_t count, unsigned planes)
{
    uint8_t *to[8];
    const uint8_t *from[8];
    memset(apart, EDGE, sizeof apart);
    for (unsigned p = 0; p < 8; p++)
        from[p] = to[p] = apart[7 - p]; /* in any order */
    vv_planes_split(to, plain, count, planes);
    for (size_t i = 0; i < count * planes; i++)
        cr_assert_eq(to[i % planes][i / planes], plain[i],
            "byte %zu of %zu by %u", i, count, planes);
    for (unsigned p = 0; p < 8; p++)
        cr_assert_eq(to[p][p < planes ? count : 0], EDGE);
    memset(together, EDGE, sizeof together);
    vv_planes_join(together, from, count, planes);
    cr_assert_eq(
        memcmp(together, plain, count * planes), 0, "%zu by %u", count, planes);
    cr_assert_eq(together[count * planes], EDGE);
}

TEST(byte_shuffle, works_for_any_number_of_elements)
{
    for (size_t i = 0; i < sizeof plain; i++)
        plain[i] = (uint8_t)(i * 167 + i / 256);
    for (size_t count = 0; count <= MOST; count++) {
        check(count, 2);
        check(count, 4);
        check(count, 8);
    }
}

TEST(byte_shuffle, works_at_any_address)
{
    static uint8_t from[MOST], to[4][MOST], back[MOST];
    for (size_t i = 0; i < MOST; i++)
        from[i] = (uint8_t)(i * 31);
    for (size_t at = 0; at < 33; at++) {
        uint8_t *places[4];
        const uint8_t *again[4];
        for (size_t p = 0; p < 4; p++)
            again[p] = places[p] = to[p] + (at + p) % 33;
        vv_planes_split(places, from + 32 - at, 37, 4);
        vv_planes_join(back + 1, again, 37, 4);
        cr_assert_eq(memcmp(back + 1, from + 32 - at, 148), 0, "%zu", at);
    }
}
