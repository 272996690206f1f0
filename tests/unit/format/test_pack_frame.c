/* test_pack_frame.c - Tests the headers of Zstandard frames.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <string.h>

#include "pack.h"

static uint8_t frame[600 * 1024];

TEST(frame, has_the_standard_header)
{
    static const uint8_t expected[] = { 0x28, 0xb5, 0x2f, 0xfd, 0xa0, 1, 2, 3,
        0 };
    vv_frame_begin(frame, 0x030201);
    cr_assert_eq(memcmp(frame, expected, sizeof expected), 0);
    cr_assert_eq(vv_frame_head(frame, sizeof frame), VV_FRAME_HEAD);
}

static size_t head_of(uint8_t what, uint8_t window)
{
    vv_frame_begin(frame, 1);
    frame[4] = what;
    frame[5] = window;
    return vv_frame_head(frame, 20);
}

/* RFC 8878, 3.1.1.1: one byte, optionally a window, and a content size. */
TEST(frame, may_have_other_headers)
{
    cr_assert_eq(head_of(0x20, 0), 6);
    cr_assert_eq(head_of(0x60, 0), 7);
    cr_assert_eq(head_of(0xa0, 0), 9);
    cr_assert_eq(head_of(0xe0, 0), 13);
    cr_assert_eq(head_of(0x00, 7 << 3), 6);
    cr_assert_eq(head_of(0x40, 7 << 3), 8);
    cr_assert_eq(head_of(0x80, 9 << 3 | 5), 10);
    cr_assert_eq(head_of(0xc0, 9 << 3), 14);
}

TEST(frame, is_not_parsed_if_that_could_change_its_content)
{
    cr_assert_eq(head_of(0xa4, 0), 0, "a sum over all");
    cr_assert_eq(head_of(0xa1, 0), 0, "a dictionary");
    cr_assert_eq(head_of(0x80, 6 << 3 | 7), 0, "blocks that are shorter");
    vv_frame_begin(frame, 1);
    cr_assert_eq(vv_frame_head(frame, 8), 0, "cut");
    frame[0] ^= 1;
    cr_assert_eq(vv_frame_head(frame, 20), 0, "another number");
}

static void check_raw(size_t size, size_t blocks)
{
    size_t all = vv_frame_raw_size(size);
    cr_assert_eq(all, size + 3 * blocks, "%zu", size);
    memset(frame, 0xee, all + 1);
    vv_frame_raw_begin(frame, size);
    cr_assert_eq(frame[all], 0xee);
    for (size_t at = 0, head = 0; at < size; at += VV_MOST_BLOCK) {
        size_t left = size - at;
        size_t part = left < VV_MOST_BLOCK ? left : VV_MOST_BLOCK;
        /* Not the last block, raw, and its size. */
        cr_assert_eq(frame[head] | frame[head + 1] << 8 | frame[head + 2] << 16,
            (int)part << 3);
        cr_assert_eq(vv_frame_raw_at(at), head + 3);
        head += 3 + part;
    }
    cr_assert(vv_frame_is_raw(frame, all, size));
    cr_assert_not(vv_frame_is_raw(frame, all - 1, size));
    cr_assert_not(vv_frame_is_raw(frame, all + 9, size + 1));
    for (size_t at = 0; at < size; at += VV_MOST_BLOCK) {
        uint8_t *head = frame + vv_frame_raw_at(at) - 3;
        for (size_t bit = 0; bit < 24; bit++) {
            head[bit / 8] ^= (uint8_t)(1 << bit % 8);
            cr_assert_not(vv_frame_is_raw(frame, all, size), "%zu", bit);
            head[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
    }
}

TEST(frame, has_raw_blocks)
{
    check_raw(1, 1);
    check_raw(16384, 1);
    check_raw(VV_MOST_BLOCK, 1);
    check_raw(VV_MOST_BLOCK + 1, 2);
    check_raw(4 * VV_MOST_BLOCK, 4);
    check_raw(4 * VV_MOST_BLOCK + 77, 5);
}
