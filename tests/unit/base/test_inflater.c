/* test_inflater.c - Tests decompression of deflated data.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <string.h>

#include "inflater.h"

static struct vv_inflater *new_inflater(void)
{
    return vv_inflater_new(test_allocator(), VV_DEFLATED);
}

/* 2000 zeros, compressed by zlib at the highest level. */
static const unsigned char zeros[] = {
    0x63, 0x60, 0x18, 0x05, 0xa3, 0x60, 0x14, 0x8c, 0x82, 0x51, 0x30, 0x0a,
    0x46, 0xc1, 0x50, 0x07, 0x00,
};

TEST(inflater, inflates_data_in_pieces_of_any_size)
{
    if (!vv_inflater_exists())
        return;
    for (size_t piece = 1; piece <= 2000; piece += 333) {
        unsigned char bytes[2001];
        memset(bytes, 7, sizeof bytes);
        struct vv_inflater *inflater = new_inflater();
        const unsigned char *in = zeros;
        unsigned char *out = bytes;
        size_t in_size = sizeof zeros;
        enum vv_inflation result = VV_INFLATION_ON;
        while (result == VV_INFLATION_ON) {
            size_t left = (size_t)(bytes + sizeof bytes - out);
            size_t room = piece < left ? piece : left;
            result = vv_inflate(inflater, &in, &in_size, &out, &room);
        }
        cr_assert_eq(result, VV_INFLATION_END);
        cr_assert_eq(out - bytes, 2000);
        cr_assert_eq(in_size, 0);
        for (size_t i = 0; i < 2000; i++)
            cr_assert_eq(bytes[i], 0);
        cr_assert_eq(bytes[2000], 7);
        vv_inflater_free(test_allocator(), inflater);
    }
}

TEST(inflater, detects_data_that_is_not_deflated)
{
    if (!vv_inflater_exists())
        return;
    unsigned char byte = 7, *out = &byte;
    const unsigned char *in = (const unsigned char *)"\7";
    size_t in_size = 1, room = 1;
    struct vv_inflater *inflater = new_inflater();
    cr_assert_eq(vv_inflate(inflater, &in, &in_size, &out, &room),
        VV_INFLATION_BAD);
    vv_inflater_free(test_allocator(), inflater);
    vv_inflater_free(test_allocator(), NULL);
}

TEST(inflater, uses_little_memory_and_only_of_the_allocator)
{
    if (!vv_inflater_exists())
        return;
    unsigned char bytes[100], *out = bytes;
    const unsigned char *in = zeros;
    size_t in_size = sizeof zeros, room = sizeof bytes;
    test_reset_peak();
    struct vv_inflater *inflater = new_inflater();
    cr_assert_gt(test_block_count(), 1);
    cr_assert_eq(vv_inflate(inflater, &in, &in_size, &out, &room),
        VV_INFLATION_ON);
    cr_assert_lt(test_peak_bytes(), 48 * 1024);
    vv_inflater_free(test_allocator(), inflater);
    cr_assert_eq(test_block_count(), 0);
}

TEST(inflater, reports_failed_allocations)
{
    if (!vv_inflater_exists())
        return;
    for (long n = 0; n < 2; n++) {
        test_fail_allocation(n, false);
        cr_assert_null(new_inflater());
    }
    test_fail_allocation(2, false);
    unsigned char bytes[100], *out = bytes;
    const unsigned char *in = zeros;
    size_t in_size = sizeof zeros, room = sizeof bytes;
    struct vv_inflater *inflater = new_inflater();
    cr_assert_eq(vv_inflate(inflater, &in, &in_size, &out, &room),
        VV_INFLATION_NO_MEMORY);
    vv_inflater_free(test_allocator(), inflater);
    test_fail_allocation(-1, false);
}
