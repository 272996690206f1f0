/* test_picture.c - Tests PNG encoding.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "picture.h"
#include "support/event_reader.h"

static unsigned char pixels[400 * 300 * 4];

static void fill(void)
{
    uint32_t x = 1;
    for (size_t i = 0; i < sizeof pixels; i++) {
        x = x * 1664525 + 1013904223;
        pixels[i] = (unsigned char)(x >> 24);
    }
}

static void check(uint32_t width, uint32_t height, unsigned channels)
{
    struct vv_buffer b;
    vv_buffer_init(&b, test_allocator());
    vv_buffer_add8(&b, 'x'); /* it appends */
    cr_assert(vv_png_can_hold(width, height, channels));
    vv_png_add(&b, pixels, width, height, channels);
    cr_assert_not(b.failed);
    struct event_bytes png = { b.data + 1, b.size - 1 };
    unsigned char *back = event_pixels(png, width, height, channels);
    cr_assert(back, "%u x %u x %u", width, height, channels);
    cr_assert_eq(memcmp(back, pixels, (size_t)width * height * channels), 0);
    free(back);
    uint32_t seen_width, seen_height;
    unsigned seen_channels;
    cr_assert(vv_png_look(
        png.data, png.size, &seen_width, &seen_height, &seen_channels));
    cr_assert_eq(seen_width, width);
    cr_assert_eq(seen_height, height);
    cr_assert_eq(seen_channels, channels);
    vv_buffer_clear(&b);
}

TEST(picture, holds_the_pixels)
{
    fill();
    static const unsigned channels[] = { 1, 3, 4 };
    for (int c = 0; c < 3; c++) {
        check(1, 1, channels[c]);
        check(400, 300, channels[c]);
        check(1, 300, channels[c]);
        check(257, 3, channels[c]);
    }
}

TEST(picture, has_blocks_that_end_anywhere)
{
    fill();
    for (uint32_t width = 65530; width < 65540; width++)
        check(width, 1, 1);
    for (uint32_t width = 32760; width < 32770; width++)
        check(width, 2, 1);
}

TEST(picture, computes_checksums_without_overflow)
{
    memset(pixels, 255, sizeof pixels);
    check(400, 300, 4);
}

TEST(picture, is_limited_to_the_size_of_its_length_fields)
{
    cr_assert(vv_png_can_hold(1, 1 << 29, 1));
    cr_assert_not(vv_png_can_hold(1, (1 << 29) + 1, 1));
    cr_assert(vv_png_can_hold((1 << 30) - 1, 1, 1));
    cr_assert_not(vv_png_can_hold(1 << 30, 1, 1));
    cr_assert_not(vv_png_can_hold(UINT32_MAX, UINT32_MAX, 4));
    cr_assert_not(vv_png_can_hold(0, 1, 1));
    cr_assert_not(vv_png_can_hold(1, 0, 1));
    cr_assert_not(vv_png_can_hold(1, 1, 0));
    cr_assert_not(vv_png_can_hold(1, 1, 2));
    cr_assert_not(vv_png_can_hold(1, 1, 5));
}

TEST(picture, is_recognized_by_its_header)
{
    struct vv_buffer b;
    uint32_t width, height;
    unsigned channels;
    vv_buffer_init(&b, test_allocator());
    vv_png_add(&b, pixels, 2, 2, 3);
    for (size_t size = 0; size < 33; size++)
        cr_assert_not(vv_png_look(b.data, size, &width, &height, &channels));
    for (size_t i = 0; i < 16; i++) {
        b.data[i] ^= 0x40;
        cr_assert_eq(vv_png_look(b.data, b.size, &width, &height, &channels),
            i >= 8 && i < 12, "byte %zu", i);
        b.data[i] ^= 0x40;
    }
    b.data[16] = 0x80;
    cr_assert_not(vv_png_look(b.data, b.size, &width, &height, &channels));
    vv_buffer_clear(&b);
}

TEST(picture, reports_failed_allocations)
{
    for (long n = 0;; n++) {
        struct vv_buffer b;
        vv_buffer_init(&b, test_allocator());
        test_fail_allocation(n, false);
        vv_png_add(&b, pixels, 40, 40, 3);
        bool is_enough = test_allocation_count() <= n;
        test_fail_allocation(-1, false);
        cr_assert_eq(b.failed, !is_enough);
        vv_buffer_clear(&b);
        if (is_enough)
            return;
    }
}
