/* frame.h - frames of Zstandard (RFC 8878) that begin with bytes as they are,
 * in raw blocks: who knows where they lie needs not unpack them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_FRAME_H
#define VV_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    VV_FRAME_HEAD = 9,          /* bytes of one that is made here */
    VV_BLOCK_HEAD = 3,          /* of each block */
    VV_MOST_BLOCK = 128 * 1024, /* bytes that come out of one */
};

/* The head of a frame out of which so many bytes come. */
void vv_frame_begin(uint8_t *frame, size_t content);

/* Bytes of the head of any frame; 0: it has a sum or a dictionary, or blocks of
 * less than VV_MOST_BLOCK, or it is none. */
size_t vv_frame_head(const uint8_t *frame, size_t size);

/* Bytes that so many take as raw blocks: all full but the last. */
size_t vv_frame_raw_size(size_t size);

/* Where in these the byte `at` is, the first of a block. */
size_t vv_frame_raw_at(size_t at);

/* Writes the heads of such blocks, none of which is the last of a frame. */
void vv_frame_raw_begin(uint8_t *blocks, size_t size);

/* Whether `left` bytes begin with such blocks of so many. */
bool vv_frame_is_raw(const uint8_t *blocks, size_t left, size_t size);

#endif
