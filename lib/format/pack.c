/* pack.c - planes, and frames of Zstandard.
 *
 * Only whole frames are unpacked, into as much memory as the index says that
 * they take, a chunk at most. So nothing depends on what a frame says of its
 * window, and one that says another size is refused before.
 *
 * SPDX-License-Identifier: MIT
 */
#include "pack.h"

#include <inttypes.h>
#include <string.h>

#ifdef VV_HAVE_ZSTD
#include <zstd.h>
#include <zstd_errors.h>
#endif

#include "allocator.h"
#include "bytes.h"
#include "failure.h"
#include "file.h"
#include "layout.h"
#include "try.h"

enum { MOST_LEVEL = 19 }; /* above, Zstandard takes a lot of memory */

unsigned vv_pack_planes(varve_dtype dtype)
{
    size_t size = varve_dtype_size(dtype);
    if (dtype == VARVE_STRING)
        return 1;
    if (dtype == VARVE_COMPLEX64 || dtype == VARVE_COMPLEX128)
        size /= 2;
    return (unsigned)size;
}

varve_status vv_pack_check(int level, varve_error *error)
{
    if (level < 0 || level > MOST_LEVEL)
        return vv_fail(error, VARVE_MISUSE,
            "compress: expected a level from 0 to %d, found %d", MOST_LEVEL,
            level);
#ifndef VV_HAVE_ZSTD
    if (level > 0)
        return vv_fail(error, VARVE_TOO_NEW,
            "compress: expected 0, found %d: build Varve with libzstd to "
            "compress",
            level);
#endif
    return VARVE_OK;
}

#ifdef VV_HAVE_ZSTD

/* --- Planes --------------------------------------------------------------- */

/* Inlined with a number that is known, so that the compiler can do better than
 * byte by byte. */
static inline void split_into(
    uint8_t *to, const uint8_t *from, size_t size, size_t planes)
{
    size_t count = size / planes;
    for (size_t i = 0; i < count; i++) {
        for (size_t p = 0; p < planes; p++)
            to[p * count + i] = from[i * planes + p];
    }
    memcpy(to + planes * count, from + planes * count, size - planes * count);
}

static inline void join_from(
    uint8_t *to, const uint8_t *from, size_t size, size_t planes)
{
    size_t count = size / planes;
    for (size_t i = 0; i < count; i++) {
        for (size_t p = 0; p < planes; p++)
            to[i * planes + p] = from[p * count + i];
    }
    memcpy(to + planes * count, from + planes * count, size - planes * count);
}

static void split(
    uint8_t *to, const uint8_t *from, size_t size, unsigned planes)
{
    switch (planes) {
    case 2: split_into(to, from, size, 2); break;
    case 4: split_into(to, from, size, 4); break;
    default: split_into(to, from, size, 8); break;
    }
}

static void join(uint8_t *to, const uint8_t *from, size_t size, unsigned planes)
{
    switch (planes) {
    case 2: join_from(to, from, size, 2); break;
    case 4: join_from(to, from, size, 4); break;
    default: join_from(to, from, size, 8); break;
    }
}

/* --- Packing -------------------------------------------------------------- */

struct vv_packer {
    varve_allocator allocator;
    int level;
    ZSTD_CCtx *zstd;
    uint8_t planes[VV_CHUNK_SIZE];
    uint8_t frame[VV_CHUNK_SIZE];
};

struct vv_packer *vv_packer_new(const varve_allocator *allocator, int level)
{
    struct vv_packer *packer = vv_allocate(allocator, sizeof *packer);
    if (!packer)
        return NULL;
    packer->allocator = *allocator;
    packer->level = level;
    packer->zstd = ZSTD_createCCtx();
    if (packer->zstd)
        return packer;
    vv_packer_free(packer);
    return NULL;
}

void vv_packer_free(struct vv_packer *packer)
{
    if (!packer)
        return;
    const varve_allocator allocator = packer->allocator;
    ZSTD_freeCCtx(packer->zstd);
    vv_release(&allocator, packer, sizeof *packer);
}

const void *vv_packer_pack(struct vv_packer *packer, const void *bytes,
    size_t size, unsigned planes, struct vv_pack *pack)
{
    if (size < VV_LEAST_PACKED || size > VV_CHUNK_SIZE)
        return NULL;
    if (planes > 1)
        split(packer->planes, bytes, size, planes);
    /* What does not fit is not worth it; nor is anything else that may be. */
    size_t found =
        ZSTD_compressCCtx(packer->zstd, packer->frame, vv_pack_room(size),
            planes > 1 ? packer->planes : bytes, size, packer->level);
    if (ZSTD_isError(found))
        return NULL;
    *pack = (struct vv_pack){
        .size = (uint32_t)found,
        .plain = (uint32_t)size,
        .planes = (uint8_t)planes,
    };
    return packer->frame;
}

/* --- Unpacking ------------------------------------------------------------ */

static bool is_frame(const uint8_t *frame, const struct vv_pack *pack)
{
    return pack->size >= 4 && vv_load32(frame) == ZSTD_MAGICNUMBER &&
           ZSTD_getFrameContentSize(frame, pack->size) == pack->plain &&
           ZSTD_getDictID_fromFrame(frame, pack->size) == 0 &&
           ZSTD_findFrameCompressedSize(frame, pack->size) == pack->size;
}

static varve_status unpack(const char *path, uint64_t offset,
    const struct vv_pack *pack, const uint8_t *frame, uint8_t *to,
    varve_error *error)
{
    size_t found = 0;
    if (is_frame(frame, pack))
        found = ZSTD_decompress(to, pack->plain, frame, pack->size);
    if (ZSTD_getErrorCode(found) == ZSTD_error_memory_allocation)
        return vv_fail_memory(error, "unpacking a chunk");
    if (found != pack->plain)
        return vv_fail(error, VARVE_CORRUPT,
            "%s: bytes %" PRIu64 " to %" PRIu64
            ": expected a frame of Zstandard of %" PRIu32
            " bytes, found something else",
            path, offset, offset + pack->size, pack->plain);
    return VARVE_OK;
}

varve_status vv_unpack(const struct vv_context *context, int file,
    const char *path, uint64_t offset, const struct vv_pack *pack, void *plain,
    varve_error *error)
{
    bool joins = pack->planes > 1;
    size_t size = pack->size + (joins ? pack->plain : 0);
    uint8_t *frame = vv_allocate(&context->allocator, size);
    if (!frame)
        return vv_fail_memory(error, "unpacking a chunk");
    uint8_t *planes = frame + pack->size;
    varve_status status =
        vv_file_read(context, file, path, frame, pack->size, offset, error);
    if (!status)
        status =
            unpack(path, offset, pack, frame, joins ? planes : plain, error);
    if (!status && joins)
        join(plain, planes, pack->plain, pack->planes);
    vv_release(&context->allocator, frame, size);
    return status;
}

#else

struct vv_packer *vv_packer_new(const varve_allocator *allocator, int level)
{
    (void)allocator;
    (void)level;
    return NULL;
}

void vv_packer_free(struct vv_packer *packer)
{
    (void)packer;
}

const void *vv_packer_pack(struct vv_packer *packer, const void *bytes,
    size_t size, unsigned planes, struct vv_pack *pack)
{
    (void)packer;
    (void)bytes;
    (void)size;
    (void)planes;
    (void)pack;
    return NULL;
}

varve_status vv_unpack(const struct vv_context *context, int file,
    const char *path, uint64_t offset, const struct vv_pack *pack, void *plain,
    varve_error *error)
{
    (void)context;
    (void)file;
    (void)pack;
    (void)plain;
    return vv_fail(error, VARVE_TOO_NEW,
        "%s: offset %" PRIu64 ": expected bytes as they are, found them "
        "compressed with Zstandard: build Varve with libzstd, or make a plain "
        "file of it by `varve repack` of a build that has it",
        path, offset);
}

#endif
