/* pack.c - Compresses and decompresses chunks of data as frames of Zstandard.
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
#include "byte_shuffle.h"
#include "bytes.h"
#include "failure.h"
#include "file.h"
#include "layout.h"
#include "try.h"

/* --- Frames --------------------------------------------------------------- */

/* Writes and parses the heads of frames and of raw blocks (RFC 8878, 3.1.1). */

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

/* --- Chunks --------------------------------------------------------------- */

/* Compresses and decompresses frames of Zstandard, with an optional byte
 * shuffle.
 *
 * The first planes of numbers, for example those of mantissas, are often
 * incompressible. They are stored as raw blocks without libzstd: a frame
 * consists of a head, these raw blocks, and the blocks of a frame that libzstd
 * made of the other planes. The latter do not refer to preceding bytes, so they
 * can be decompressed separately as well. In frames of other writers they may
 * refer to them; then this fails, and the whole frame is decompressed by
 * libzstd.
 *
 * Only whole frames are decompressed, into a buffer of the size in the index,
 * at most one chunk. So the window size in a frame has no effect, and a frame
 * with another content size is rejected. */

enum {
    MOST_LEVEL = 19, /* higher levels need much memory */
    FEW_PLACES = 6,  /* logarithm of the size of the match table */
    LONG_REPEAT = 7, /* smallest match in bytes */
    SAMPLES = 16,    /* of a chunk, to detect incompressible planes */
    SAMPLE = 1024,   /* number of elements of a sample */
    SAMPLED = SAMPLES * SAMPLE,
    LEAST_GAIN = 16, /* compression must save 1/LEAST_GAIN of the sample */
};

#ifdef VV_HAVE_ZSTD

/* The planes of a chunk: some are in raw blocks of a frame. `rest` contains the
 * others, followed by the bytes after the last whole element. */
struct apart {
    uint8_t *raw;
    uint8_t *rest;
    size_t count; /* number of elements */
    unsigned planes;
    unsigned raw_planes;
};

static size_t raw_size(const struct apart *a)
{
    return a->raw_planes * vv_frame_raw_size(a->count);
}

static size_t rest_of_planes(const struct apart *a)
{
    return (a->planes - a->raw_planes) * a->count;
}

/* Sets the addresses of the planes for the elements from `at` on, which must be
 * a multiple of VV_MOST_BLOCK. */
static void find_planes(
    const struct apart *a, size_t at, uint8_t *places[VV_MOST_PLANES])
{
    size_t size = vv_frame_raw_size(a->count);
    for (unsigned p = 0; p < a->planes; p++)
        places[p] = p < a->raw_planes
                        ? a->raw + p * size + vv_frame_raw_at(at)
                        : a->rest + (p - a->raw_planes) * a->count + at;
}

static size_t part_at(const struct apart *a, size_t at)
{
    return a->count - at < VV_MOST_BLOCK ? a->count - at : VV_MOST_BLOCK;
}

static void pack_split(const struct apart *a, const uint8_t *from, size_t size)
{
    uint8_t *to[VV_MOST_PLANES];
    size_t whole = a->count * a->planes;
    for (size_t at = 0; at < a->count; at += VV_MOST_BLOCK) {
        find_planes(a, at, to);
        vv_planes_split(to, from + at * a->planes, part_at(a, at), a->planes);
    }
    memcpy(a->rest + rest_of_planes(a), from + whole, size - whole);
}

static void pack_join(const struct apart *a, uint8_t *to, size_t size)
{
    uint8_t *places[VV_MOST_PLANES];
    const uint8_t *from[VV_MOST_PLANES];
    size_t whole = a->count * a->planes;
    for (size_t at = 0; at < a->count; at += VV_MOST_BLOCK) {
        find_planes(a, at, places);
        memcpy(from, places, a->planes * sizeof *from);
        vv_planes_join(to + at * a->planes, from, part_at(a, at), a->planes);
    }
    memcpy(to + whole, a->rest + rest_of_planes(a), size - whole);
}

#endif

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
            "compress: the level must be 0 to %d, found %d", MOST_LEVEL, level);
#ifndef VV_HAVE_ZSTD
    if (level > 0)
        return vv_fail(error, VARVE_TOO_NEW,
            "compress: this build has no libzstd, so the level must be 0, "
            "found %d: build Varve with libzstd",
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
    bool hardly_looks; /* uses fast match parameters, see pack_choose */
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

/* Planes of numbers have few distinct bytes, and their matches are accidental:
 * the search takes most of the time, and the matches need more bytes than they
 * save (bench/notebook.md). So the lowest level searches very little. The other
 * levels, and all levels for bytes and texts, use the defaults of Zstandard
 * (0). */
static void pack_choose(struct vv_packer *packer, unsigned planes)
{
    packer->hardly_looks = packer->level == 1 && planes > 1;
    ZSTD_CCtx_setParameter(
        packer->zstd, ZSTD_c_hashLog, packer->hardly_looks ? FEW_PLACES : 0);
    ZSTD_CCtx_setParameter(
        packer->zstd, ZSTD_c_minMatch, packer->hardly_looks ? LONG_REPEAT : 0);
}

/* Returns the number of leading planes that are incompressible, judged by a
 * sample of the elements. */
static unsigned find_noise(struct vv_packer *packer, const uint8_t *bytes,
    const struct apart *a, void *scratch)
{
    uint8_t *to[VV_MOST_PLANES];
    unsigned found = 0;
    for (size_t i = 0; i < SAMPLES; i++) {
        for (unsigned p = 0; p < a->planes; p++)
            to[p] = packer->planes + p * SAMPLED + i * SAMPLE;
        size_t at = a->count / SAMPLES * i;
        vv_planes_split(to, bytes + at * a->planes, SAMPLE, a->planes);
    }
    while (found < a->planes && ZSTD_isError(ZSTD_compress2(packer->zstd,
                                    scratch, SAMPLED - SAMPLED / LEAST_GAIN,
                                    packer->planes + found * SAMPLED, SAMPLED)))
        found++;
    return found;
}

/* Compresses the rest to `to`. If the frame has raw blocks already, keeps only
 * the blocks, without the head. Returns the size, or 0 if it does not fit. */
static size_t pack_rest(struct vv_packer *packer, const struct apart *a,
    size_t size, uint8_t *to, size_t room)
{
    size_t found = ZSTD_compress2(packer->zstd, to, room, a->rest, size);
    if (ZSTD_isError(found) || a->raw_planes == 0)
        return ZSTD_isError(found) ? 0 : found;
    size_t head = vv_frame_head(to, found);
    memmove(to, to + head, found - head);
    return head ? found - head : 0;
}

static size_t pack_planes(struct vv_packer *packer, const uint8_t *bytes,
    size_t size, unsigned planes, uint8_t *frame)
{
    struct apart a = { .raw = frame + VV_FRAME_HEAD,
        .rest = packer->planes,
        .count = size / planes,
        .planes = planes };
    if (packer->hardly_looks && a.count >= SAMPLED)
        a.raw_planes = find_noise(packer, bytes, &a, frame);
    size_t before = a.raw_planes ? VV_FRAME_HEAD + raw_size(&a) : 0;
    if (a.raw_planes == planes || before > vv_pack_limit(size))
        return 0;
    pack_split(&a, bytes, size);
    size_t found = pack_rest(packer, &a, size - a.raw_planes * a.count,
        frame + before, vv_pack_limit(size) - before);
    if (found == 0 || before == 0)
        return found;
    vv_frame_begin(frame, size);
    for (unsigned p = 0; p < a.raw_planes; p++)
        vv_frame_raw_begin(a.raw + p * vv_frame_raw_size(a.count), a.count);
    return before + found;
}

bool vv_packer_pack(struct vv_packer *packer, const void *bytes, size_t size,
    void *frame, struct vv_pack *pack)
{
    size_t found;
    pack_choose(packer, pack->planes);
    if (pack->planes > 1) {
        found = pack_planes(packer, bytes, size, pack->planes, frame);
    } else {
        found = ZSTD_compress2(
            packer->zstd, frame, vv_pack_limit(size), bytes, size);
        found = ZSTD_isError(found) ? 0 : found;
    }
    /* A frame that does not fit is not worth it, and neither is any other
     * failure. */
    if (found == 0)
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

static varve_status fail_frame(const char *path, uint64_t offset,
    const struct vv_pack *pack, varve_error *error)
{
    return vv_fail(error, VARVE_CORRUPT,
        "%s: bytes %" PRIu64 " to %" PRIu64
        ": not a Zstandard frame of %" PRIu32 " bytes",
        path, offset, offset + pack->size, pack->plain);
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

/* Finds the leading raw blocks that contain whole planes. They must be followed
 * by other blocks. */
static void find_raw(
    uint8_t *frame, const struct vv_pack *pack, struct apart *a)
{
    size_t at = vv_frame_head(frame, pack->size);
    size_t size = vv_frame_raw_size(a->count);
    a->raw = frame + at;
    while (at > 0 && a->raw_planes < a->planes &&
           vv_frame_is_raw(frame + at, pack->size - at, a->count)) {
        a->raw_planes++;
        at += size;
    }
    if (a->raw_planes == a->planes || at >= pack->size)
        a->raw_planes = 0;
}

/* Decompresses the rest as a separate frame. Its head is temporarily written
 * over the end of the raw bytes. Returns false if that fails or there are no
 * raw planes. */
static bool unpack_rest(struct vv_unpacker *unpacker,
    const struct vv_pack *pack, const struct apart *a)
{
    uint8_t kept[VV_FRAME_HEAD];
    size_t size = pack->plain - a->raw_planes * a->count;
    if (a->raw_planes == 0)
        return false;
    uint8_t *head = a->raw + raw_size(a) - sizeof kept;
    memcpy(kept, head, sizeof kept);
    vv_frame_begin(head, size);
    size_t found = ZSTD_decompressDCtx(unpacker->zstd, a->rest, size, head,
        (size_t)(unpacker->frame + pack->size - head));
    memcpy(head, kept, sizeof kept);
    return found == size;
}

static varve_status unpack_all(struct vv_unpacker *unpacker, const char *path,
    uint64_t offset, const struct vv_pack *pack, uint8_t *to,
    varve_error *error)
{
    size_t found = ZSTD_decompressDCtx(
        unpacker->zstd, to, pack->plain, unpacker->frame, pack->size);
    if (ZSTD_getErrorCode(found) == ZSTD_error_memory_allocation)
        return vv_fail_memory(error, "decompressing a chunk");
    return found == pack->plain ? VARVE_OK
                                : fail_frame(path, offset, pack, error);
}

static varve_status unpack_planes(struct vv_unpacker *unpacker,
    const char *path, uint64_t offset, const struct vv_pack *pack, uint8_t *to,
    varve_error *error)
{
    struct apart a = { .rest = unpacker->planes,
        .count = pack->plain / pack->planes,
        .planes = pack->planes };
    find_raw(unpacker->frame, pack, &a);
    if (!unpack_rest(unpacker, pack, &a)) {
        a.raw_planes = 0;
        VV_TRY(unpack_all(unpacker, path, offset, pack, a.rest, error));
    }
    pack_join(&a, to, pack->plain);
    return VARVE_OK;
}

varve_status vv_unpack(struct vv_unpacker *unpacker, int file, const char *path,
    uint64_t offset, const struct vv_pack *pack, void *plain,
    varve_error *error)
{
    VV_TRY(vv_file_read(unpacker->context, file, path, unpacker->frame,
        pack->size, offset, error));
    if (!is_frame(unpacker->frame, pack))
        return fail_frame(path, offset, pack, error);
    return pack->planes > 1
               ? unpack_planes(unpacker, path, offset, pack, plain, error)
               : unpack_all(unpacker, path, offset, pack, plain, error);
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
        "%s: offset %" PRIu64
        ": compressed with Zstandard, which this build cannot read: build "
        "Varve with libzstd, or decompress the file with `varve repack` of a "
        "build that has it",
        path, offset);
}

#endif
