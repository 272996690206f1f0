/* test_crc32.c - lib/base/crc32.c
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "crc32.h"

static unsigned char bytes[4096];

static void fill(void)
{
    uint32_t x = 1;
    for (size_t i = 0; i < sizeof bytes; i++) {
        x = x * 1664525 + 1013904223;
        bytes[i] = (unsigned char)(x >> 24);
    }
}

/* The definition, a bit at a time. */
static uint32_t plain(const unsigned char *at, size_t size)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < size; i++) {
        crc ^= at[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ UINT32_C(0xedb88320) : crc >> 1;
    }
    return ~crc;
}

/* The check value of the Rocksoft catalogue, and one of a pangram. */
TEST(crc32, gives_the_known_answers)
{
    cr_assert_eq(vv_crc32(0, "123456789", 9), 0xcbf43926);
    cr_assert_eq(vv_crc32(0,
        "The quick brown fox jumps over the lazy dog", 43), 0x414fa339);
    cr_assert_eq(vv_crc32(0, NULL, 0), 0);
}

TEST(crc32, agrees_with_its_definition_at_every_size_and_address)
{
    fill();
    for (size_t begin = 0; begin < 8; begin++) {
        for (size_t size = 0; size < 300; size++)
            cr_assert_eq(vv_crc32(0, bytes + begin, size),
                plain(bytes + begin, size), "%zu bytes at %zu", size, begin);
    }
    cr_assert_eq(vv_crc32(0, bytes, sizeof bytes), plain(bytes, sizeof bytes));
}

TEST(crc32, is_the_same_for_bytes_in_pieces)
{
    fill();
    uint32_t whole = vv_crc32(0, bytes, 100);
    for (size_t cut = 0; cut <= 100; cut++) {
        uint32_t crc = vv_crc32(0, bytes, cut);
        crc = vv_crc32(crc, bytes + cut, 100 - cut);
        cr_assert_eq(crc, whole, "cut at %zu", cut);
    }
}
