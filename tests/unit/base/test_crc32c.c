/* test_crc32c.c - lib/base/crc32c.c
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <string.h>

#include "crc32c.h"

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
            crc = crc & 1 ? crc >> 1 ^ UINT32_C(0x82f63b78) : crc >> 1;
    }
    return ~crc;
}

/* RFC 3720, B.4, and the check value of the Rocksoft catalogue. */
TEST(crc32c, gives_the_known_answers)
{
    unsigned char block[32];
    memset(block, 0, sizeof block);
    cr_assert_eq(vv_crc32c(0, block, sizeof block), 0x8a9136aa);
    memset(block, 0xff, sizeof block);
    cr_assert_eq(vv_crc32c(0, block, sizeof block), 0x62a8ab43);
    for (unsigned i = 0; i < 32; i++)
        block[i] = (unsigned char)i;
    cr_assert_eq(vv_crc32c(0, block, sizeof block), 0x46dd794e);
    for (unsigned i = 0; i < 32; i++)
        block[i] = (unsigned char)(31 - i);
    cr_assert_eq(vv_crc32c(0, block, sizeof block), 0x113fdb5c);
    cr_assert_eq(vv_crc32c(0, "123456789", 9), 0xe3069283);
    cr_assert_eq(vv_crc32c(0, NULL, 0), 0);
}

TEST(crc32c, agrees_with_its_definition_at_every_size_and_address)
{
    fill();
    for (size_t begin = 0; begin < 8; begin++) {
        for (size_t size = 0; size < 300; size++)
            cr_assert_eq(vv_crc32c(0, bytes + begin, size),
                plain(bytes + begin, size), "%zu bytes at %zu", size, begin);
    }
    cr_assert_eq(vv_crc32c(0, bytes, sizeof bytes), plain(bytes, sizeof bytes));
}

TEST(crc32c, is_the_same_for_bytes_in_pieces)
{
    fill();
    uint32_t whole = vv_crc32c(0, bytes, 100);
    for (size_t cut = 0; cut <= 100; cut++) {
        uint32_t crc = vv_crc32c(0, bytes, cut);
        crc = vv_crc32c(crc, bytes + cut, 100 - cut);
        cr_assert_eq(crc, whole, "cut at %zu", cut);
    }
}

/* The sum of the length 24 (the first record of every event file whose event
 * takes 24 bytes begins so) as TensorFlow writes it. */
TEST(crc32c, masks_as_tensorflow_does)
{
    static const unsigned char length[8] = { 24 };
    cr_assert_eq(vv_crc32c_mask(vv_crc32c(0, length, 8)), 0x224b7fa3);
    cr_assert_eq(vv_crc32c_mask(0), 0xa282ead8);
}

TEST(crc32c, is_unmasked_again)
{
    uint32_t crc = 1;
    for (int i = 0; i < 1000; i++, crc = crc * 1664525 + 1013904223) {
        cr_assert_eq(vv_crc32c_unmask(vv_crc32c_mask(crc)), crc);
        cr_assert_neq(vv_crc32c_mask(crc), crc);
    }
}
