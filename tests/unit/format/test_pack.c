/* test_pack.c - Tests compression of chunks.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <string.h>

#include "bytes.h"
#include "file.h"
#include "layout.h"
#include "pack.h"
#include "support/memory_system.h"
#include "support/test_context.h"
#include "system.h"

TEST(pack, splits_numbers_by_their_bytes)
{
    cr_assert_eq(vv_pack_planes(VARVE_BOOL), 1);
    cr_assert_eq(vv_pack_planes(VARVE_BFLOAT16), 2);
    cr_assert_eq(vv_pack_planes(VARVE_FLOAT32), 4);
    cr_assert_eq(vv_pack_planes(VARVE_INT64), 8);
    cr_assert_eq(vv_pack_planes(VARVE_COMPLEX64), 4);
    cr_assert_eq(vv_pack_planes(VARVE_COMPLEX128), 8);
    cr_assert_eq(vv_pack_planes(VARVE_STRING), 1);
}

static void check_refused(int level, varve_status expected, const char *says)
{
    varve_error error = { 0 };
    cr_assert_eq(vv_pack_check(level, &error), expected);
    cr_assert(strstr(error.message, says), "%s", error.message);
}

TEST(pack, refuses_invalid_levels)
{
    varve_error error;
    cr_assert_ok(vv_pack_check(0, &error), error);
    check_refused(-1, VARVE_MISUSE, "the level must be 0 to 19, found -1");
    check_refused(20, VARVE_MISUSE, "found 20");
}

/* A file with one frame, at offset 10. */
struct frames {
    struct memory *memory;
    struct vv_context context;
    struct vv_unpacker *unpacker;
    int file;
};

enum { AT = 10 };

static void begin_frames(struct frames *f, const void *bytes, size_t size)
{
    *f = (struct frames){ .memory = memory_new() };
    f->context = test_context(memory_system(f->memory));
    const struct vv_system *system = f->context.system;
    f->file = system->create_file(system->state, VV_WORKING_DIRECTORY, "layer");
    cr_assert_geq(f->file, 0);
    varve_error error;
    cr_assert_ok(
        vv_file_write(&f->context, f->file, "layer", bytes, size, AT, &error),
        error);
    f->unpacker = vv_unpacker_new(&f->context);
    cr_assert(f->unpacker);
}

static varve_status unpack_frame(
    struct frames *f, const struct vv_pack *pack, void *to, varve_error *error)
{
    return vv_unpack(f->unpacker, f->file, "layer", AT, pack, to, error);
}

static void end_frames(struct frames *f)
{
    vv_unpacker_free(f->unpacker);
    f->context.system->close(f->context.system->state, f->file);
    memory_free(f->memory);
}

#ifdef VV_HAVE_ZSTD
#include <zstd.h>

static uint8_t plain[VV_CHUNK_SIZE], found[VV_CHUNK_SIZE + 1];
static uint8_t frame[VV_CHUNK_SIZE];

TEST(pack, decompresses_to_the_original)
{
    static const unsigned planes[] = { 1, 2, 4, 8 };
    static const size_t sizes[] = { 4096, 4099, 65537, VV_CHUNK_SIZE - 3,
        VV_CHUNK_SIZE };
    for (size_t i = 0; i < sizeof plain; i++)
        plain[i] = i % 8 < 2 ? (uint8_t)((i * 2654435761u) >> 21) : 7;
    const varve_allocator a = test_context(NULL).allocator;
    struct vv_packer *packer = vv_packer_new(&a, 1);
    cr_assert(packer);
    for (size_t p = 0; p < 4; p++) {
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            struct vv_pack pack = { .planes = (uint8_t)planes[p] };
            struct frames f;
            varve_error error = { 0 };
            cr_assert(vv_packer_pack(packer, plain, sizes[s], frame, &pack),
                "%u planes of %zu", planes[p], sizes[s]);
            cr_assert_leq(pack.size, vv_pack_limit(sizes[s]));
            cr_assert_eq(pack.plain, sizes[s]);
            cr_assert_eq(pack.planes, planes[p]);
            begin_frames(&f, frame, pack.size);
            memset(found, 0xee, sizeof found);
            cr_assert_ok(unpack_frame(&f, &pack, found, &error), error);
            cr_assert_eq(memcmp(found, plain, sizes[s]), 0);
            cr_assert_eq(found[sizes[s]], 0xee);
            end_frames(&f);
        }
    }
    vv_packer_free(packer);
}

TEST(pack, stores_planes_one_after_another)
{
    struct vv_pack pack = { .planes = 4 };
    for (size_t i = 0; i < 4098; i++)
        plain[i] = (uint8_t)(i % 4);
    const varve_allocator a = test_context(NULL).allocator;
    struct vv_packer *packer = vv_packer_new(&a, 1);
    cr_assert(vv_packer_pack(packer, plain, 4098, frame, &pack));
    cr_assert_eq(ZSTD_decompress(found, 4098, frame, pack.size), 4098);
    for (size_t i = 0; i < 4096; i++)
        cr_assert_eq(found[i], i / 1024);
    cr_assert_eq(found[4096], 0, "what is no whole element");
    cr_assert_eq(found[4097], 1);
    vv_packer_free(packer);
}

/* Makes elements whose first `noisy` bytes are noise, and whose other bytes
 * have one of four values. */
static void make_numbers(size_t size, size_t planes, size_t noisy)
{
    uint32_t random = 1;
    for (size_t i = 0; i < size; i++) {
        random = random * 1664525 + 1013904223;
        plain[i] = (uint8_t)(random >> (i % planes < noisy ? 24 : 30));
    }
}

static struct vv_pack pack_numbers(int level, size_t size, unsigned planes)
{
    struct vv_pack pack = { .planes = (uint8_t)planes };
    const varve_allocator a = test_context(NULL).allocator;
    struct vv_packer *packer = vv_packer_new(&a, level);
    cr_assert(packer);
    cr_assert(vv_packer_pack(packer, plain, size, frame, &pack));
    cr_assert_leq(pack.size, vv_pack_limit(size));
    vv_packer_free(packer);
    return pack;
}

static void check_unpacks(const struct vv_pack *pack, const char *what)
{
    struct frames f;
    varve_error error = { 0 };
    begin_frames(&f, frame, pack->size);
    memset(found, 0xee, sizeof found);
    cr_assert_ok(unpack_frame(&f, pack, found, &error), error);
    cr_assert_eq(memcmp(found, plain, pack->plain), 0, "%s", what);
    cr_assert_eq(found[pack->plain], 0xee, "%s", what);
    end_frames(&f);
}

/* Checks that the first plane is stored as raw bytes, as libzstd would store
 * it. */
static void check_is_frame(const struct vv_pack *pack)
{
    size_t count = pack->plain / pack->planes;
    cr_assert_eq(ZSTD_decompress(found, pack->plain, frame, pack->size),
        pack->plain, "a frame of the standard");
    for (size_t i = 0; i < count; i++)
        cr_assert_eq(found[i], plain[i * pack->planes], "%zu", i);
}

TEST(pack, stores_random_planes_uncompressed)
{
    static const size_t sizes[] = { VV_CHUNK_SIZE, VV_CHUNK_SIZE - 5, 700000,
        8 * 16384 + 3 };
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        for (unsigned planes = 2; planes <= 8; planes *= 2) {
            for (unsigned noisy = 1; noisy < planes; noisy++) {
                size_t plane = sizes[s] / planes;
                make_numbers(sizes[s], planes, noisy);
                struct vv_pack pack = pack_numbers(1, sizes[s], planes);
                size_t at = VV_FRAME_HEAD;
                for (unsigned p = 0; p < noisy; p++) {
                    cr_assert(
                        vv_frame_is_raw(frame + at, pack.size - at, plane));
                    at += vv_frame_raw_size(plane);
                }
                cr_assert_not(
                    vv_frame_is_raw(frame + at, pack.size - at, plane));
                check_is_frame(&pack);
                check_unpacks(&pack, "some are noise");
            }
        }
    }
}

/* Single bytes look like noise, but the plane is compressible. */
TEST(pack, detects_repetition_in_a_plane)
{
    uint32_t *numbers = (uint32_t *)(void *)plain;
    for (uint32_t i = 0; i < sizeof plain / 4; i++)
        numbers[i] = vv_order32(i);
    struct vv_pack pack = pack_numbers(1, sizeof plain, 4);
    cr_assert_lt(pack.size, sizeof plain / 64);
    check_unpacks(&pack, "numbers that count up");
}

TEST(pack, samples_elements_of_a_whole_chunk)
{
    make_numbers(sizeof plain, 4, 4);
    memset(plain + sizeof plain / 4 * 3, 0, sizeof plain / 4);
    struct vv_pack pack = pack_numbers(1, sizeof plain, 4);
    cr_assert_lt(pack.size, sizeof plain / 100 * 76, "noise at first");
    check_unpacks(&pack, "noise, and then none");
}

TEST(pack, does_not_compress_random_data)
{
    struct vv_pack pack = { .planes = 4 };
    const varve_allocator a = test_context(NULL).allocator;
    struct vv_packer *packer = vv_packer_new(&a, 1);
    make_numbers(sizeof plain, 4, 4);
    cr_assert_not(vv_packer_pack(packer, plain, sizeof plain, frame, &pack));
    cr_assert_eq(pack.size, 0);
    vv_packer_free(packer);
}

/* A frame compressed by libzstd only, as in older files: its first blocks are
 * raw too, and later blocks may refer to them. */
TEST(pack, decompresses_frames_that_refer_to_raw_blocks)
{
    static uint8_t planes[VV_CHUNK_SIZE];
    const size_t plane = sizeof plain / 4;
    make_numbers(sizeof plain, 4, 4);
    for (size_t i = 0; i < plane; i++) {
        plain[4 * i + 3] = i < 4096 ? 5 : plain[4 * (i - 4096)];
        for (size_t p = 0; p < 4; p++)
            planes[p * plane + i] = plain[4 * i + p];
    }
    size_t size = ZSTD_compress(frame, sizeof frame, planes, sizeof planes, 3);
    size_t head = vv_frame_head(frame, size);
    const struct vv_pack pack = { (uint32_t)size, sizeof plain, 4 };
    cr_assert_leq(size, vv_pack_limit(sizeof plain));
    cr_assert(head > 0 && vv_frame_is_raw(frame + head, size - head, plane));
    check_unpacks(&pack, "a frame of before");
}

TEST(pack, is_deterministic)
{
    static uint8_t first[VV_CHUNK_SIZE];
    make_numbers(sizeof plain, 4, 3);
    struct vv_pack pack = pack_numbers(1, sizeof plain, 4);
    memcpy(first, frame, pack.size);
    memset(frame, 0xee, sizeof frame);
    struct vv_pack again = pack_numbers(1, sizeof plain, 4);
    cr_assert_eq(again.size, pack.size);
    cr_assert_eq(memcmp(first, frame, pack.size), 0);
}

TEST(pack, does_not_compress_for_a_small_gain)
{
    struct vv_pack pack = { .planes = 1 }, by_planes = { .planes = 4 };
    uint32_t random = 1;
    for (size_t i = 0; i < sizeof plain; i++) {
        random = random * 1664525 + 1013904223;
        /* One byte of 20 is predictable: a gain of a twentieth. */
        plain[i] = i % 20 == 0 ? 0 : (uint8_t)(random >> 24);
    }
    const varve_allocator a = test_context(NULL).allocator;
    struct vv_packer *packer = vv_packer_new(&a, 1);
    cr_assert_not(vv_packer_pack(packer, plain, sizeof plain, frame, &pack));
    cr_assert_not(
        vv_packer_pack(packer, plain, sizeof plain, frame, &by_planes));
    cr_assert_eq(pack.size, 0);
    memset(plain, 0, sizeof plain / 8);
    cr_assert(vv_packer_pack(packer, plain, sizeof plain, frame, &pack));
    vv_packer_free(packer);
}

TEST(pack, is_used_from_a_page_up_to_a_chunk)
{
    cr_assert(!vv_pack_is_worth(4095) && vv_pack_is_worth(4096));
    cr_assert(vv_pack_is_worth(VV_CHUNK_SIZE));
    cr_assert_not(vv_pack_is_worth(VV_CHUNK_SIZE + 1));
}

TEST(pack, reports_failed_allocations)
{
    const struct vv_context context = test_context(NULL);
    test_fail_allocation(0, false);
    cr_assert_null(vv_packer_new(&context.allocator, 1));
    test_fail_allocation(0, false);
    cr_assert_null(vv_unpacker_new(&context));
    test_fail_allocation(-1, false);
}

/* --- Invalid frames ------------------------------------------------------- */

static void check_corrupt(
    const char *what, const uint8_t *bytes, size_t size, uint32_t out)
{
    const struct vv_pack pack = { (uint32_t)size, out, 1 };
    struct frames f;
    varve_error error = { 0 };
    begin_frames(&f, bytes, size);
    memset(found, 0xee, sizeof found);
    cr_assert_eq(
        unpack_frame(&f, &pack, found, &error), VARVE_CORRUPT, "%s", what);
    cr_assert(
        strstr(error.message, "layer: bytes 10 to "), "%s", error.message);
    cr_assert(
        strstr(error.message, "not a Zstandard frame of"), "%s", error.message);
    cr_assert_eq(found[out], 0xee, "%s: more than there is room for", what);
    end_frames(&f);
}

static size_t pack_zeros(uint8_t *to, size_t room, size_t size)
{
    static const uint8_t zeros[VV_CHUNK_SIZE];
    size_t found_size = ZSTD_compress(to, room, zeros, size, 1);
    cr_assert_not(ZSTD_isError(found_size));
    return found_size;
}

TEST(pack, refuses_data_that_is_not_one_frame_of_the_given_size)
{
    size_t size = pack_zeros(frame, sizeof frame, 8192);
    check_corrupt("less comes out", frame, size, 8193);
    check_corrupt("more comes out", frame, size, 8191);
    check_corrupt(
        "a bomb", frame, pack_zeros(frame, sizeof frame, VV_CHUNK_SIZE), 4096);
    size = pack_zeros(frame, sizeof frame, 8192);
    check_corrupt("cut", frame, size - 1, 8192);
    check_corrupt("more bytes after its end", frame, size + 1, 8192);
    check_corrupt("very short", frame, 3, 8192);
    size_t half = pack_zeros(frame, sizeof frame, 4096);
    size_t both = half + pack_zeros(frame + half, sizeof frame - half, 4096);
    check_corrupt("two frames", frame, both, 8192);
    check_corrupt("two frames, of which one is wanted", frame, both, 4096);
}

/* The header matches the index, but more or fewer bytes are decompressed. */
TEST(pack, refuses_a_frame_with_a_wrong_size)
{
    size_t size = pack_zeros(frame, sizeof frame, 8192);
    cr_assert_eq(frame[4] & 0xe0, 0x60, "two bytes of size, one segment");
    frame[6] = (4096 - 256) >> 8;
    check_corrupt("a bomb", frame, size, 4096);
    frame[6] = (61440 - 256) >> 8;
    check_corrupt("less than it says", frame, size, 61440);
}

TEST(pack, refuses_frames_with_a_dictionary_or_without_size)
{
    static const uint8_t zeros[8192];
    ZSTD_CCtx *zstd = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(zstd, ZSTD_c_contentSizeFlag, 0);
    size_t size = ZSTD_compress2(zstd, frame, sizeof frame, zeros, 8192);
    check_corrupt("no size", frame, size, 8192);
    /* A dictionary ID: the flag in the header, and the ID. */
    size = pack_zeros(frame, sizeof frame, 8192);
    memmove(frame + 6, frame + 5, size - 5);
    frame[4] |= 1;
    frame[5] = 77;
    check_corrupt("a numbered dictionary", frame, size + 1, 8192);
    static const uint8_t skippable[12] = { 0x50, 0x2a, 0x4d, 0x18, 4 };
    check_corrupt("a skippable frame", skippable, 12, 4096);
    ZSTD_freeCCtx(zstd);
}

/* Damage of a header, or of the bytes after the raw blocks: no more than the
 * given number of bytes may be written. */
TEST(pack, handles_damaged_frames_that_begin_with_raw_blocks)
{
    make_numbers(8 * 16384, 2, 1);
    const struct vv_pack pack = pack_numbers(1, 8 * 16384, 2);
    const size_t rest = VV_FRAME_HEAD + vv_frame_raw_size(65536);
    cr_assert(vv_frame_is_raw(frame + 9, pack.size - 9, 65536));
    for (size_t i = 0; i < pack.size; i++) {
        struct frames f;
        if (i == 16)
            i = rest - 4;
        if (i == rest + 300)
            i = pack.size - 40;
        frame[i] ^= 0x41;
        begin_frames(&f, frame, pack.size);
        memset(found, 0xee, sizeof found);
        varve_status status = unpack_frame(&f, &pack, found, NULL);
        cr_assert(!status || status == VARVE_CORRUPT);
        cr_assert_eq(found[8 * 16384], 0xee);
        end_frames(&f);
        frame[i] ^= 0x41;
    }
}

/* Makes a frame of 2 planes of 2048 bytes, the first of which is stored raw. */
static size_t make_raw_frame(uint8_t *to)
{
    static uint8_t rest[2048], packed[4096];
    size_t before = VV_FRAME_HEAD + vv_frame_raw_size(2048);
    make_numbers(4096, 2, 1);
    for (size_t i = 0; i < 2048; i++) {
        rest[i] = plain[2 * i + 1];
        to[VV_FRAME_HEAD + 3 + i] = plain[2 * i];
    }
    vv_frame_begin(to, 4096);
    vv_frame_raw_begin(to + VV_FRAME_HEAD, 2048);
    size_t size = ZSTD_compress(packed, sizeof packed, rest, 2048, 1);
    size_t head = vv_frame_head(packed, size);
    memcpy(to + before, packed + head, size - head);
    return before + size - head;
}

static bool unpacks_whole(const uint8_t *bytes, size_t size, uint8_t *to)
{
    return ZSTD_getFrameContentSize(bytes, size) == 4096 &&
           ZSTD_getDictID_fromFrame(bytes, size) == 0 &&
           ZSTD_findFrameCompressedSize(bytes, size) == size &&
           ZSTD_decompress(to, 4096, bytes, size) == 4096;
}

/* Damages mostly the headers: of the frame, of the raw block, and after
 * that. */
static void damage(uint8_t *bytes, size_t size, uint32_t *random)
{
    static const size_t begins[] = { 4, 9, 2060, 0 };
    for (uint32_t n = 0; n <= *random % 3; n++) {
        *random = *random * 1664525 + 1013904223;
        size_t begin = begins[*random >> 30];
        size_t room = begin ? 8 : size;
        bytes[begin + (*random >> 12) % room] ^= (uint8_t)(1 << *random % 7);
    }
}

/* Decompressing only the remainder must succeed only if it gives the same bytes
 * as decompressing the whole frame. */
TEST(pack, decompresses_a_damaged_frame_only_like_libzstd)
{
    static uint8_t damaged[4096], whole[4096];
    size_t size = make_raw_frame(frame), good = 0;
    const struct vv_pack pack = { (uint32_t)size, 4096, 2 };
    uint32_t random = 1;
    check_unpacks(&pack, "as it was made");
    for (int i = 0; i < 5000; i++) {
        struct frames f;
        memcpy(damaged, frame, size);
        damage(damaged, size, &random);
        begin_frames(&f, damaged, size);
        varve_status status = unpack_frame(&f, &pack, found, NULL);
        end_frames(&f);
        bool is_good = unpacks_whole(damaged, size, whole);
        cr_assert_eq(status, is_good ? VARVE_OK : VARVE_CORRUPT, "%d", i);
        for (size_t at = 0; is_good && at < 4096; at++)
            cr_assert_eq(found[at], whole[at % 2 * 2048 + at / 2], "%d", i);
        good += is_good;
    }
    cr_assert_gt(good, 100);
}

TEST(pack, handles_damage_of_any_byte)
{
    for (size_t i = 0; i < 8192; i++)
        plain[i] = (uint8_t)(i % 100 * (i / 2000));
    size_t size = ZSTD_compress(frame, sizeof frame, plain, 8192, 1);
    const struct vv_pack pack = { (uint32_t)size, 8192, 2 };
    for (size_t i = 0; i < size; i++) {
        struct frames f;
        frame[i] ^= 0x41;
        begin_frames(&f, frame, size);
        varve_status status = unpack_frame(&f, &pack, found, NULL);
        cr_assert(!status || status == VARVE_CORRUPT);
        end_frames(&f);
        frame[i] ^= 0x41;
    }
}

#else

TEST(pack, reports_a_build_without_zstandard)
{
    static const struct vv_pack pack = { 100, 4096, 4 };
    uint8_t found[4096];
    struct frames f;
    varve_error error = { 0 };
    check_refused(3, VARVE_TOO_NEW, "build Varve with libzstd");
    begin_frames(&f, found, 100);
    cr_assert_eq(unpack_frame(&f, &pack, found, &error), VARVE_TOO_NEW);
    cr_assert(strstr(error.message, "layer: offset 10: "), "%s", error.message);
    cr_assert(strstr(error.message, "libzstd"), "%s", error.message);
    end_frames(&f);
}

#endif
