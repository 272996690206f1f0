/* pack.h - up to a chunk of data, packed with Zstandard: one frame, behind
 * which nothing stands, of the bytes as they are or of their planes
 * (byte_shuffle.h).
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

enum {
    VV_LEAST_PACKED = 4096, /* bytes; less is never packed */
    VV_MOST_PLANES = 8,
};

struct vv_pack {
    /* to fill in */
    uint32_t size;  /* of the frame; 0: not packed, and all is 0 */
    uint32_t plain; /* bytes that come out of it */
    uint8_t planes; /* 1, 2, 4 or 8 */
};

/* What is not worth it is not packed: so many bytes may a frame have. */
static inline size_t vv_pack_room(size_t plain)
{
    return plain - plain / 16;
}

/* How many planes bytes of so large elements are split into; parts of a complex
 * number are elements. */
unsigned vv_pack_planes(varve_dtype dtype);

/* Whether this build packs, and has the level: VARVE_TOO_NEW, VARVE_MISUSE. */
varve_status vv_pack_check(int level, varve_error *error);

struct vv_packer;

/* What a thread needs to pack. NULL without memory; of a build that cannot pack
 * too. */
struct vv_packer *vv_packer_new(const varve_allocator *allocator, int level);
void vv_packer_free(struct vv_packer *packer);

/* Whether there is anything to be packed. */
static inline bool vv_pack_is_worth(uint64_t size)
{
    return size >= VV_LEAST_PACKED && size <= VV_CHUNK_SIZE;
}

/* Packs so many bytes, by as many planes as `pack` says; the frame has
 * vv_pack_room(size). False: the bytes are better as they are. */
bool vv_packer_pack(struct vv_packer *packer, const void *bytes, size_t size,
    void *frame, struct vv_pack *pack);

struct vv_unpacker;

/* What a thread needs to unpack: two chunks, and some for Zstandard. NULL
 * without memory. */
struct vv_unpacker *vv_unpacker_new(const struct vv_context *context);
void vv_unpacker_free(struct vv_unpacker *unpacker);

/* Reads the frame at an offset of a file, and unpacks it to `plain`, which has
 * room for pack->plain bytes. VARVE_CORRUPT where it is anything but one frame
 * of so many; VARVE_TOO_NEW by a build that cannot unpack. */
varve_status vv_unpack(struct vv_unpacker *unpacker, int file, const char *path,
    uint64_t offset, const struct vv_pack *pack, void *plain,
    varve_error *error);

#endif
