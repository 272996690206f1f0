/* frame.c - Writes and parses the heads of frames and of raw blocks (RFC 8878,
 * 3.1.1).
 *
 * SPDX-License-Identifier: MIT
 */
#include "frame.h"

#include "bytes.h"

static const uint32_t magic = 0xfd2fb528;

enum {
    /* bits of the byte after the magic number */
    SIZE_OF_4 = 2 << 6, /* the content size has 4 bytes */
    ONE_SEGMENT = 1 << 5,
    HAS_SUM = 1 << 2,
    HAS_DICTIONARY = 3,
    /* bits of the head of a block */
    RAW = 0 << 1,
    SIZE_SHIFT = 3,
    /* the window size is a power of two with its exponent in the upper bits */
    WINDOW_SHIFT = 3,
    LEAST_WINDOW = 17 - 10,
};

void vv_frame_begin(uint8_t *frame, size_t content)
{
    vv_store32(frame, magic);
    frame[4] = SIZE_OF_4 | ONE_SEGMENT;
    vv_store32(frame + 5, (uint32_t)content);
}

size_t vv_frame_head(const uint8_t *frame, size_t size)
{
    static const size_t sizes[] = { 0, 2, 4, 8 };
    if (size < VV_FRAME_HEAD || vv_load32(frame) != magic ||
        frame[4] & (HAS_SUM | HAS_DICTIONARY))
        return 0;
    if (frame[4] & ONE_SEGMENT)
        return 5 + (frame[4] >> 6 ? sizes[frame[4] >> 6] : 1);
    return frame[5] >> WINDOW_SHIFT < LEAST_WINDOW ? 0
                                                   : 6 + sizes[frame[4] >> 6];
}

size_t vv_frame_raw_size(size_t size)
{
    size_t blocks = (size + VV_MOST_BLOCK - 1) / VV_MOST_BLOCK;
    return size + blocks * VV_BLOCK_HEAD;
}

size_t vv_frame_raw_at(size_t at)
{
    return at + (at / VV_MOST_BLOCK + 1) * VV_BLOCK_HEAD;
}

static uint32_t raw_head(size_t size, size_t at)
{
    size_t left = size - at;
    size_t part = left < VV_MOST_BLOCK ? left : VV_MOST_BLOCK;
    return (uint32_t)part << SIZE_SHIFT | RAW;
}

void vv_frame_raw_begin(uint8_t *blocks, size_t size)
{
    for (size_t at = 0; at < size; at += VV_MOST_BLOCK) {
        uint8_t *head = blocks + vv_frame_raw_at(at) - VV_BLOCK_HEAD;
        uint32_t is = raw_head(size, at);
        for (unsigned i = 0; i < VV_BLOCK_HEAD; i++)
            head[i] = (uint8_t)(is >> 8 * i);
    }
}

bool vv_frame_is_raw(const uint8_t *blocks, size_t left, size_t size)
{
    if (left < vv_frame_raw_size(size))
        return false;
    for (size_t at = 0; at < size; at += VV_MOST_BLOCK) {
        const uint8_t *head = blocks + vv_frame_raw_at(at) - VV_BLOCK_HEAD;
        if ((head[0] | (uint32_t)head[1] << 8 | (uint32_t)head[2] << 16) !=
            raw_head(size, at))
            return false;
    }
    return true;
}
