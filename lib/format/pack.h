/* pack.h - Compresses up to a chunk of data with Zstandard, as one frame
 * without trailing bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PACK_H
#define VV_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <varve/error.h>
#include <varve/tensor.h>

#include "context.h"
#include "layout.h"

/* --- Frames --------------------------------------------------------------- */

/* Makes and parses Zstandard frames (RFC 8878) that begin with raw blocks. Raw
 * blocks contain uncompressed bytes, which can be copied without decompression.
 */

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

/* --- Chunks --------------------------------------------------------------- */

/* The bytes are compressed as they are or shuffled into planes
 * (byte_shuffle.h). */

enum {
    VV_LEAST_PACKED = 4096, /* smaller ranges are never compressed */
    VV_MOST_PLANES = 8,
};

struct vv_pack {
    /* to fill in */
    uint32_t size;  /* of the frame; 0: not compressed, all members are 0 */
    uint32_t plain; /* decompressed size */
    uint8_t planes; /* 1, 2, 4 or 8 */
};

/* Returns the largest size of a frame that is worth storing instead of `plain`
 * bytes. */
static inline size_t vv_pack_limit(size_t plain)
{
    return plain - plain / 16;
}

/* Returns the number of planes for elements of a type. Real and imaginary parts
 * of complex numbers are separate elements. */
unsigned vv_pack_planes(varve_dtype dtype);

/* Fails if this build cannot compress (VARVE_TOO_NEW) or the level is invalid
 * (VARVE_MISUSE). */
varve_status vv_pack_check(int level, varve_error *error);

struct vv_packer;

/* Creates the compression state of a thread. Returns NULL if there is no
 * memory, or if this build cannot compress. */
struct vv_packer *vv_packer_new(const varve_allocator *allocator, int level);
void vv_packer_free(struct vv_packer *packer);

/* Returns true if a range of this size may be compressed. */
static inline bool vv_pack_is_worth(uint64_t size)
{
    return size >= VV_LEAST_PACKED && size <= VV_CHUNK_SIZE;
}

/* Compresses `size` bytes, shuffled into pack->planes planes. `frame` has room
 * for vv_pack_limit(size) bytes. Returns false if compression is not worth
 * it. */
bool vv_packer_pack(struct vv_packer *packer, const void *bytes, size_t size,
    void *frame, struct vv_pack *pack);

struct vv_unpacker;

/* Creates the decompression state of a thread: two chunks, and the state of
 * Zstandard. Returns NULL if there is no memory. */
struct vv_unpacker *vv_unpacker_new(const struct vv_context *context);
void vv_unpacker_free(struct vv_unpacker *unpacker);

/* Reads the frame at an offset of a file and decompresses it to `plain`, which
 * has room for pack->plain bytes. Returns VARVE_CORRUPT unless it is one frame
 * of exactly this content, and VARVE_TOO_NEW if this build cannot
 * decompress. */
varve_status vv_unpack(struct vv_unpacker *unpacker, int file, const char *path,
    uint64_t offset, const struct vv_pack *pack, void *plain,
    varve_error *error);

#endif
