/* test_table_in_snappy_in.c - Tests decompression of Snappy data.
 *
 * SPDX-License-Identifier: MIT
 */
#include "table_in.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "hex.h"

enum { MOST = 4096 };

/* Decompresses an exact copy of the data, so that sanitizers detect reads past
 * the end. */
static bool unpack(const unsigned char *packed, size_t packed_size,
    unsigned char *plain, size_t *size)
{
    unsigned char *exact = malloc(packed_size ? packed_size : 1);
    cr_assert(exact);
    memcpy(exact, packed, packed_size);
    bool is_valid = vv_snappy_size(exact, packed_size, size) && *size <= MOST;
    unsigned char *room = malloc(is_valid && *size ? *size : 1);
    cr_assert(room);
    is_valid = is_valid && vv_snappy_unpack(exact, packed_size, room, *size);
    if (is_valid)
        memcpy(plain, room, *size);
    free(room);
    free(exact);
    return is_valid;
}

static void check(const char *hex, const char *expected)
{
    unsigned char plain[MOST];
    size_t packed_size, size;
    unsigned char *packed = hex_bytes(hex, &packed_size);
    cr_assert(unpack(packed, packed_size, plain, &size), "%s", hex);
    cr_assert_eq(size, strlen(expected), "%s", hex);
    cr_assert_eq(memcmp(plain, expected, size), 0, "%s", hex);
    free(packed);
}

TEST(snappy_in, decodes_literals)
{
    check("00", "");
    check("03 08 616263", "abc");
    check("8300 08 616263", "abc");  /* the varint is longer than necessary */
    check("03 f0 02 616263", "abc"); /* sizes of 1, 2, 3 and 4 bytes */
    check("03 f4 0200 616263", "abc");
    check("03 f8 020000 616263", "abc");
    check("03 fc 02000000 616263", "abc");
    check("04 04 6162 04 6364", "abcd");
}

TEST(snappy_in, decodes_copies)
{
    check("07 08 616263 01 03", "abcabca");      /* offset of 11 bits */
    check("06 08 616263 0a 0300", "abcabc");     /* of 16 */
    check("06 08 616263 0b 03000000", "abcabc"); /* of 32 */
    check("05 08 616263 06 0100", "abccc");      /* overlaps its own output */
}

TEST(snappy_in, decodes_copies_from_large_offsets)
{
    enum { FAR = 2047 };
    unsigned char packed[MOST], plain[MOST];
    size_t size;
    memset(packed, 'x', sizeof packed);
    /* "a", 2,046 times "x", and 4 bytes from 2,047 bytes before. */
    memcpy(packed,
        "\x83\x10\xf4\xfe\x07"
        "a",
        6);
    memcpy(packed + 5 + FAR, "\xe1\xff", 2);
    cr_assert(unpack(packed, 5 + FAR + 2, plain, &size));
    cr_assert_eq(size, FAR + 4);
    cr_assert_eq(memcmp(plain + FAR, "axxx", 4), 0);
}

TEST(snappy_in, refuses_malformed_data)
{
    static const char *const rows[] = {
        "", "80", "808080808000", /* the size */
        "ffffffff10 08 616263", "ffffffff0f 08 616263", "03", "02 08 616263",
        "04 08 616263",                                    /* wrong size */
        "03 08 6162", "03 f0", "03 f4 02", "03 fc 020000", /* truncated */
        "03 fc ffffffff 616263", "03 08 616263 04", "07 08 616263 01 00",
        "07 08 616263 01 04", /* offsets */
        "07 08 616263 01", "06 08 616263 0a 03", "06 08 616263 0b 030000",
        "06 08 616263 0b ffffffff", "04 01 01",
        "06 08 616263 01 03", /* past the end */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unsigned char plain[MOST];
        size_t packed_size, size;
        unsigned char *packed = hex_bytes(rows[i], &packed_size);
        cr_assert_not(unpack(packed, packed_size, plain, &size), "%s", rows[i]);
        free(packed);
    }
}

TEST(snappy_in, limits_the_size_by_that_of_the_data)
{
    const unsigned char packed[] = { 0xff, 0xff, 0x03, 0, 0, 0 };
    size_t size;
    cr_assert_not(vv_snappy_size(packed, sizeof packed, &size));
    const unsigned char most[] = { 22 * 3, 0, 0 };
    cr_assert(vv_snappy_size(most, sizeof most, &size));
    cr_assert_eq(size, 22 * 3);
}

/* --- Comparison with libsnappy -------------------------------------------- */

/* snappy-c.h; the status is 0 on success. */
struct libsnappy {
    void *handle;
    int (*compress)(const char *, size_t, char *, size_t *);
    int (*uncompress)(const char *, size_t, char *, size_t *);
    int (*length)(const char *, size_t, size_t *);
};

static bool load(struct libsnappy *theirs)
{
    theirs->handle = dlopen("libsnappy.so.1", RTLD_NOW);
    if (!theirs->handle)
        return false;
    *(void **)&theirs->compress = dlsym(theirs->handle, "snappy_compress");
    *(void **)&theirs->uncompress = dlsym(theirs->handle, "snappy_uncompress");
    *(void **)&theirs->length =
        dlsym(theirs->handle, "snappy_uncompressed_length");
    return theirs->compress && theirs->uncompress && theirs->length;
}

static uint32_t seed = 1;

static uint32_t below(uint32_t limit)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % limit;
}

static void compare(const struct libsnappy *theirs, const unsigned char *packed,
    size_t packed_size)
{
    unsigned char ours[MOST];
    char expected[MOST];
    size_t size = 0, expected_size = sizeof expected, length = 0;
    const char *bytes = (const char *)packed;
    bool is_valid =
        theirs->length(bytes, packed_size, &length) == 0 && length <= MOST &&
        theirs->uncompress(bytes, packed_size, expected, &expected_size) == 0;
    cr_assert_eq(unpack(packed, packed_size, ours, &size), is_valid);
    if (is_valid) {
        cr_assert_eq(size, expected_size);
        cr_assert_eq(memcmp(ours, expected, size), 0);
    }
}

/* Passes without a comparison if libsnappy is not installed. */
TEST(snappy_in, agrees_with_libsnappy_about_intact_and_damaged_data)
{
    enum { ROUNDS = 300, DAMAGES = 30 };
    struct libsnappy theirs;
    if (!load(&theirs))
        return;
    for (size_t i = 0; i < ROUNDS; i++) {
        char plain[MOST], packed[2 * MOST];
        size_t packed_size = sizeof packed, size = below(MOST);
        uint32_t letters = 1 + below(8);
        for (size_t j = 0; j < size; j++)
            plain[j] = j > 40 && below(4) ? plain[j - 1 - below(40)]
                                          : (char)('a' + below(letters));
        cr_assert_eq(theirs.compress(plain, size, packed, &packed_size), 0);
        compare(&theirs, (unsigned char *)packed, packed_size);
        for (size_t j = 0; j < DAMAGES && packed_size > 0; j++) {
            char damaged[2 * MOST];
            memcpy(damaged, packed, packed_size);
            damaged[below((uint32_t)packed_size)] ^= (char)(1u << below(8));
            damaged[below((uint32_t)packed_size)] = (char)below(256);
            compare(&theirs, (unsigned char *)damaged, packed_size - below(2));
        }
    }
    dlclose(theirs.handle);
}
