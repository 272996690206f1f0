/* test_crc.c - Tests CRCs against their bitwise definition and known answers.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <string.h>

#include "crc.h"

static unsigned char bytes[4096];

static void fill(void)
{
    uint32_t x = 1;
    for (size_t i = 0; i < sizeof bytes; i++) {
        x = x * 1664525 + 1013904223;
        bytes[i] = (unsigned char)(x >> 24);
    }
}

/* Computes the definition bit by bit. */
static uint32_t plain(
    uint32_t polynomial, const unsigned char *at, size_t size)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < size; i++) {
        crc ^= at[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ polynomial : crc >> 1;
    }
    return ~crc;
}

static const struct sum {
    const char *name;
    uint32_t (*add)(uint32_t, const void *, size_t);
    uint32_t polynomial; /* reflected */
} sums[] = {
    { "crc32", vv_crc32, 0xedb88320 },
    { "crc32 by table", vv_crc32_by_table, 0xedb88320 },
    { "crc32c", vv_crc32c, 0x82f63b78 },
    { "crc32c by table", vv_crc32c_by_table, 0x82f63b78 },
};

enum { SUMS = sizeof sums / sizeof *sums };

TEST(crc, agrees_with_its_definition_at_every_size_and_address)
{
    fill();
    for (const struct sum *sum = sums; sum < sums + SUMS; sum++) {
        for (size_t begin = 0; begin < 8; begin++) {
            for (size_t size = 0; size < 300; size++)
                cr_assert_eq(sum->add(0, bytes + begin, size),
                    plain(sum->polynomial, bytes + begin, size),
                    "%s: %zu bytes at %zu", sum->name, size, begin);
        }
        cr_assert_eq(sum->add(0, bytes, sizeof bytes),
            plain(sum->polynomial, bytes, sizeof bytes), "%s", sum->name);
        cr_assert_eq(sum->add(0, NULL, 0), 0, "%s", sum->name);
    }
}

TEST(crc, is_the_same_for_bytes_in_pieces)
{
    fill();
    for (const struct sum *sum = sums; sum < sums + SUMS; sum++) {
        uint32_t whole = sum->add(0, bytes, 250);
        for (size_t cut = 0; cut <= 250; cut++) {
            uint32_t crc = sum->add(0, bytes, cut);
            crc = sum->add(crc, bytes + cut, 250 - cut);
            cr_assert_eq(crc, whole, "%s: cut at %zu", sum->name, cut);
        }
    }
}

/* The check value of the Rocksoft catalogue, and one of a pangram. */
TEST(crc, gives_the_known_answers_of_zip)
{
    cr_assert_eq(vv_crc32(0, "123456789", 9), 0xcbf43926);
    cr_assert_eq(vv_crc32(0,
        "The quick brown fox jumps over the lazy dog", 43), 0x414fa339);
}

/* RFC 3720, B.4, and the check value of the Rocksoft catalogue. */
TEST(crc, gives_the_known_answers_of_crc32c)
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

/* The masked CRC of the length 24, which begins event files whose first event
 * has 24 bytes, as TensorFlow writes it. */
TEST(crc, masks_as_tensorflow_does)
{
    static const unsigned char length[8] = { 24 };
    cr_assert_eq(vv_crc32c_mask(vv_crc32c(0, length, 8)), 0x224b7fa3);
    cr_assert_eq(vv_crc32c_mask(0), 0xa282ead8);
}

TEST(crc, is_recovered_by_unmasking)
{
    uint32_t crc = 1;
    for (int i = 0; i < 1000; i++, crc = crc * 1664525 + 1013904223) {
        cr_assert_eq(vv_crc32c_unmask(vv_crc32c_mask(crc)), crc);
        cr_assert_neq(vv_crc32c_mask(crc), crc);
    }
}
