/* frame.h - Makes and parses Zstandard frames (RFC 8878) that begin with raw
 * blocks. Raw blocks contain uncompressed bytes, which can be copied without
 * decompression.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_FRAME_H
#define VV_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    VV_FRAME_HEAD = 9, /* size of the head that vv_frame_begin writes */
    VV_BLOCK_HEAD = 3, /* size of the head of each block */
    VV_MOST_BLOCK = 128 * 1024, /* largest size of a decompressed block */
};

/* Writes the head of a frame whose decompressed size is `content`. */
void vv_frame_begin(uint8_t *frame, size_t content);

/* Returns the size of the head of a frame. Returns 0 if it is not a frame, or
 * has a checksum, a dictionary or blocks smaller than VV_MOST_BLOCK. */
size_t vv_frame_head(const uint8_t *frame, size_t size);

/* Returns the size of `size` bytes as raw blocks, all full except the last. */
size_t vv_frame_raw_size(size_t size);

/* Returns the offset in these blocks of the byte `at`, which must be the first
 * of a block. */
size_t vv_frame_raw_at(size_t at);

/* Writes the heads of these blocks. None is marked as the last block of the
 * frame. */
void vv_frame_raw_begin(uint8_t *blocks, size_t size);

/* Returns true if `left` bytes begin with such blocks of `size` bytes. */
bool vv_frame_is_raw(const uint8_t *blocks, size_t left, size_t size);

#endif
