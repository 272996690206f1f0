/* pack.c - frames of Zstandard, of planes where that is wanted.
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
#include "planes.h"
#include "try.h"

enum {
    MOST_LEVEL = 19, /* above, Zstandard takes a lot of memory */
    FEW_PLACES = 6,  /* a power of two: how many are looked at for repeats, */
    LONG_REPEAT = 7, /* and of how many bytes those are at least */
};

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

struct vv_unpacker {
    const struct vv_context *context;
#ifdef VV_HAVE_ZSTD
    ZSTD_DCtx *zstd;
    uint8_t planes[VV_CHUNK_SIZE];
    uint8_t frame[VV_CHUNK_SIZE];
#endif
};

#ifdef VV_HAVE_ZSTD

/* --- Packing -------------------------------------------------------------- */

struct vv_packer {
    varve_allocator allocator;
    int level;
    ZSTD_CCtx *zstd;
    uint8_t planes[VV_CHUNK_SIZE];
};

struct vv_packer *vv_packer_new(const varve_allocator *allocator, int level)
{
    struct vv_packer *packer = vv_allocate(allocator, sizeof *packer);
    if (!packer)
        return NULL;
    packer->allocator = *allocator;
    packer->level = level;
    packer->zstd = ZSTD_createCCtx();
    if (packer->zstd && !ZSTD_isError(ZSTD_CCtx_setParameter(
                            packer->zstd, ZSTD_c_compressionLevel, level)))
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

/* Planes of numbers have few values each, some more often than others, and what
 * repeats in them does so by chance: looking for it takes most of the time, and
 * what is found takes more bytes than it saves (bench/notebook.md). So the
 * lowest level hardly does. Any other looks as Zstandard would, as all do in
 * bytes and texts: 0 stands for that. */
static void choose(struct vv_packer *packer, unsigned planes)
{
    bool hardly_looks = packer->level == 1 && planes > 1;
    ZSTD_CCtx_setParameter(
        packer->zstd, ZSTD_c_hashLog, hardly_looks ? FEW_PLACES : 0);
    ZSTD_CCtx_setParameter(
        packer->zstd, ZSTD_c_minMatch, hardly_looks ? LONG_REPEAT : 0);
}

bool vv_packer_pack(struct vv_packer *packer, const void *bytes, size_t size,
    void *frame, struct vv_pack *pack)
{
    unsigned planes = pack->planes;
    choose(packer, planes);
    if (planes > 1)
        vv_planes_split(packer->planes, bytes, size, planes);
    /* What does not fit is not worth it; nor is anything else that may be. */
    size_t found = ZSTD_compress2(packer->zstd, frame, vv_pack_room(size),
        planes > 1 ? packer->planes : bytes, size);
    if (ZSTD_isError(found))
        return false;
    pack->size = (uint32_t)found;
    pack->plain = (uint32_t)size;
    return true;
}

/* --- Unpacking ------------------------------------------------------------ */

static bool is_frame(const uint8_t *frame, const struct vv_pack *pack)
{
    return pack->size >= 4 && vv_load32(frame) == ZSTD_MAGICNUMBER &&
           ZSTD_getFrameContentSize(frame, pack->size) == pack->plain &&
           ZSTD_getDictID_fromFrame(frame, pack->size) == 0 &&
           ZSTD_findFrameCompressedSize(frame, pack->size) == pack->size;
}

struct vv_unpacker *vv_unpacker_new(const struct vv_context *context)
{
    struct vv_unpacker *unpacker =
        vv_allocate(&context->allocator, sizeof *unpacker);
    if (!unpacker)
        return NULL;
    unpacker->context = context;
    unpacker->zstd = ZSTD_createDCtx();
    if (unpacker->zstd)
        return unpacker;
    vv_unpacker_free(unpacker);
    return NULL;
}

void vv_unpacker_free(struct vv_unpacker *unpacker)
{
    if (!unpacker)
        return;
    ZSTD_freeDCtx(unpacker->zstd);
    vv_release(&unpacker->context->allocator, unpacker, sizeof *unpacker);
}

static varve_status unpack(struct vv_unpacker *unpacker, const char *path,
    uint64_t offset, const struct vv_pack *pack, uint8_t *to,
    varve_error *error)
{
    size_t found = 0;
    if (is_frame(unpacker->frame, pack))
        found = ZSTD_decompressDCtx(
            unpacker->zstd, to, pack->plain, unpacker->frame, pack->size);
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

varve_status vv_unpack(struct vv_unpacker *unpacker, int file, const char *path,
    uint64_t offset, const struct vv_pack *pack, void *plain,
    varve_error *error)
{
    bool joins = pack->planes > 1;
    VV_TRY(vv_file_read(unpacker->context, file, path, unpacker->frame,
        pack->size, offset, error));
    VV_TRY(unpack(
        unpacker, path, offset, pack, joins ? unpacker->planes : plain, error));
    if (joins)
        vv_planes_join(plain, unpacker->planes, pack->plain, pack->planes);
    return VARVE_OK;
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

bool vv_packer_pack(struct vv_packer *packer, const void *bytes, size_t size,
    void *frame, struct vv_pack *pack)
{
    (void)packer;
    (void)bytes;
    (void)size;
    (void)frame;
    (void)pack;
    return false;
}

struct vv_unpacker *vv_unpacker_new(const struct vv_context *context)
{
    struct vv_unpacker *unpacker =
        vv_allocate(&context->allocator, sizeof *unpacker);
    if (unpacker)
        unpacker->context = context;
    return unpacker;
}

void vv_unpacker_free(struct vv_unpacker *unpacker)
{
    if (unpacker)
        vv_release(&unpacker->context->allocator, unpacker, sizeof *unpacker);
}

varve_status vv_unpack(struct vv_unpacker *unpacker, int file, const char *path,
    uint64_t offset, const struct vv_pack *pack, void *plain,
    varve_error *error)
{
    (void)unpacker;
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
