/* test_data_in.c - Tests reading checkpoint files, and their verification.
 *
 * SPDX-License-Identifier: MIT
 */
#include "saved_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "data_in.h"
#include "data_out.h"
#include "support/faulty_system.h"
#include "support/index_sample.h"
#include "support/memory_system.h"
#include "support/test_context.h"
#include "system.h"

static varve_status open_and_read(
    const struct vv_context *context, varve_error *error)
{
    struct vv_opened in;
    varve_status status = vv_data_in_open(&in, context, "file", error);
    if (status)
        return status;
    status = saved_file_read(&in, error);
    vv_opened_close(&in);
    return status;
}

TEST(data_in, reads_every_value)
{
    struct saved f;
    struct vv_opened in;
    varve_error error;
    saved_file_make(&f, sample_build);
    cr_assert_ok(vv_data_in_open(&in, &f.context, "file", &error), error);
    cr_assert_str_eq(in.path, "file");
    cr_assert_eq(in.size, f.size);
    cr_assert_eq(in.data_end, f.sample.data_end);
    cr_assert_ok(saved_file_read(&in, &error), error);
    for (uint32_t i = 0; i < SAMPLE_VALUE_COUNT; i++) {
        uint64_t size, offset;
        size_t part;
        const void *bytes = sample_value(i, &size);
        if (size == 0)
            continue;
        vv_opened_chunk(&in, i, 0, &offset, &part);
        cr_assert_eq(part, size);
        cr_assert_arr_eq(f.bytes + offset, bytes, (size_t)size);
        int file = -1;
        uint64_t place[2] = { 0 };
        cr_assert(vv_opened_locate(&in, i, &file, &place[0]));
        cr_assert_str_eq(vv_opened_place(&in, i, &place[1]), "file");
        cr_assert(file >= 0 && place[0] == offset && place[1] == offset);
    }
    vv_opened_close(&in);
    vv_opened_close(&in);
    saved_file_end(&f);
}

static const unsigned char large[2 * VV_CHUNK_SIZE + 5] = { 1, 2, 3 };

/* Saves a file with one state that is longer than two chunks. */
static varve_status save_large(struct sample *s,
    const struct vv_context *context, struct vv_buffer *digests,
    varve_error *error)
{
    const struct vv_system *system = context->system;
    struct vv_data_out out = { 0 };
    uint64_t offset;
    sample_build_state(s, sizeof large);
    int file =
        system->create_file(system->state, VV_WORKING_DIRECTORY, "file");
    varve_status status = vv_data_out_begin(&out, context, file, "file",
        s->data_end + s->bytes.size + VV_FOOTER_SIZE, error);
    if (!status)
        status = vv_data_out_value(&out, &(struct vv_source){ .bytes = large },
            sizeof large, "a value", &offset, digests, error);
    struct vv_index index = sample_index(s);
    index.digests = digests->data;
    if (!status)
        status = vv_data_out_end(&out, &index, error);
    vv_data_out_clear(&out);
    system->close(system->state, file);
    return status;
}

TEST(data_in, computes_one_digest_for_all_chunks_of_a_value)
{
    struct sample s;
    struct vv_opened in;
    struct vv_buffer digests;
    varve_error error;
    struct memory *memory = memory_new();
    struct vv_context context = test_context(memory_system(memory));
    vv_buffer_init(&digests, test_allocator());
    cr_assert_ok(save_large(&s, &context, &digests, &error), error);
    cr_assert_eq(digests.size, 3 * VV_DIGEST_SIZE);
    cr_assert_ok(vv_data_in_open(&in, &context, "file", &error), error);
    cr_assert_ok(saved_file_read(&in, &error), error);
    struct vv_digest expected = vv_digest_of(digests.data, digests.size);
    struct vv_digest found = vv_opened_digest(&in, 0);
    cr_assert(vv_opened_has_digests(&in));
    cr_assert(vv_digest_equal(&expected, &found));
    vv_opened_close(&in);
    vv_buffer_clear(&digests);
    sample_clear(&s);
    memory_free(memory);
}

TEST(data_in, returns_the_digest_of_one_chunk_and_of_an_empty_value)
{
    struct saved f;
    struct vv_opened in;
    varve_error error;
    saved_file_make(&f, sample_build);
    cr_assert_ok(vv_data_in_open(&in, &f.context, "file", &error), error);
    for (uint32_t i = 0; i < SAMPLE_VALUE_COUNT; i++) {
        uint64_t size;
        const void *bytes = sample_value(i, &size);
        struct vv_digest expected = vv_digest_of(bytes, (size_t)size);
        struct vv_digest found = vv_opened_digest(&in, i);
        cr_assert(vv_digest_equal(&expected, &found), "value %u", i);
    }
    vv_opened_close(&in);
    saved_file_end(&f);
}

TEST(data_in, reports_file_value_range_and_digests_of_damage)
{
    struct saved f;
    varve_error error;
    saved_file_make(&f, sample_build);
    f.bytes[106] ^= 1;
    cr_assert_eq(open_and_read(&f.context, &error), VARVE_CORRUPT);
    cr_assert(strstr(error.message,
                  "file: a/path: bytes 104 to 112: expected XXH3-128 "),
        "%s", error.message);
    saved_file_end(&f);
}

/* --- Other files ---------------------------------------------------------- */

static void seal(unsigned char *part, size_t size)
{
    vv_store64(part + size, vv_hash_of(part, size));
}

static unsigned char *footer_of(struct saved *f)
{
    return f->bytes + f->size - 64;
}

static void make_version_2(struct saved *f)
{
    f->bytes[8] = 2;
    seal(f->bytes, 56);
}

static void make_version_0(struct saved *f)
{
    f->bytes[8] = 0;
    seal(f->bytes, 56);
}

static void set_reserved(struct saved *f)
{
    f->bytes[13] = 1;
    seal(f->bytes, 56);
}

static void set_rest_of_header(struct saved *f)
{
    f->bytes[55] = 1;
    seal(f->bytes, 56);
}

static void damage_version(struct saved *f) { f->bytes[8] = 2; }
static void damage_magic(struct saved *f) { f->bytes[1] ^= 32; }
static void damage_footer_magic(struct saved *f) { footer_of(f)[63] ^= 1; }
static void damage_footer(struct saved *f) { footer_of(f)[8] ^= 1; }
static void damage_index(struct saved *f) { footer_of(f)[-1] ^= 1; }

static void set_footer(struct saved *f, size_t at, uint64_t value)
{
    vv_store64(footer_of(f) + at, value);
    seal(footer_of(f), 48);
}

static void say_longer(struct saved *f) { set_footer(f, 32, f->size + 1); }
static void say_shorter(struct saved *f) { set_footer(f, 32, f->size - 1); }
static void say_other_nonce(struct saved *f) { set_footer(f, 40, 1); }
static void say_other_digest(struct saved *f) { set_footer(f, 24, 1); }
static void say_large_index(struct saved *f) { set_footer(f, 8, UINT64_MAX); }
static void say_small_index(struct saved *f) { set_footer(f, 8, 1); }

static void move_index(struct saved *f, uint64_t offset)
{
    vv_store64(footer_of(f), offset);
    set_footer(f, 8, f->size - 64 - offset);
}

static void move_index_off_64(struct saved *f)
{
    move_index(f, f->sample.data_end + 1);
}

static void move_index_into_header(struct saved *f) { move_index(f, 0); }

static void move_index_behind(struct saved *f)
{
    move_index(f, vv_align_up(f->size, 64));
}

/* Moves the start of the index by 64 bytes and corrects the checksums: the file
 * is intact, but its index has no beginning. */
static void cut_index(struct saved *f)
{
    uint64_t offset = f->sample.data_end + 64;
    struct vv_digest digest = vv_digest_of(
        f->bytes + offset, f->size - 64 - (size_t)offset);
    memcpy(f->bytes + 16, digest.bytes, 16);
    seal(f->bytes, 56);
    memcpy(footer_of(f) + 16, digest.bytes, 16);
    memcpy(footer_of(f) + 40, digest.bytes, 8);
    move_index(f, offset);
}

/* The size of the name that build_loop adds, chosen so that the index could end
 * where it begins. */
static size_t loop_name_size;

static void build_loop(struct sample *s)
{
    sample_build_smallest(s);
    memset(vv_buffer_extend(sample_column(s, VV_KEY_NAMES), loop_name_size),
        'a', loop_name_size);
    vv_buffer_add32(
        sample_column(s, VV_KEY_NAME_ENDS), (uint32_t)loop_name_size);
    vv_buffer_add32(sample_column(s, VV_KEY_EDGE_NAMES), 0);
    vv_buffer_add32(sample_column(s, VV_KEY_EDGE_CHILDREN), 0);
    sample_set32(s, VV_KEY_NODE_EDGE_ENDS, 0, 1);
    sample_encode(s);
}

TEST(data_in, refuses_an_empty_index)
{
    struct saved f;
    varve_error error;
    loop_name_size = 1;
    saved_file_make(&f, build_loop);
    loop_name_size = 65 - f.sample.bytes.size % 64;
    saved_file_end(&f);
    loop_name_size -= loop_name_size > 23; /* its head grows too */
    saved_file_make(&f, build_loop);
    cr_assert_eq(f.size % 64, 0);
    cr_assert_ok(open_and_read(&f.context, &error), error);
    struct vv_digest digest = vv_digest_of("", 0);
    memcpy(f.bytes + 16, digest.bytes, 16);
    seal(f.bytes, 56);
    memcpy(footer_of(&f) + 16, digest.bytes, 16);
    memcpy(footer_of(&f) + 40, digest.bytes, 8);
    move_index(&f, f.size - 64);
    cr_assert_eq(open_and_read(&f.context, &error), VARVE_CORRUPT);
    cr_assert(strstr(error.message, "expected an index up to there"), "%s",
        error.message);
    saved_file_end(&f);
}

static void wipe_footer(struct saved *f) { memset(footer_of(f), 0, 64); }

TEST(data_in, reports_the_actual_kind_of_another_file)
{
    static const struct {
        const char *what;
        void (*apply)(struct saved *f);
        varve_status status;
        const char *says;
    } rows[] = {
        { "version 2", make_version_2, VARVE_TOO_NEW,
            "this build reads format version 1, found version 2" },
        { "version 0", make_version_0, VARVE_CORRUPT, "found version 0" },
        { "reserved", set_reserved, VARVE_CORRUPT, "zeros" },
        { "rest of header", set_rest_of_header, VARVE_CORRUPT, "zeros" },
        { "damaged version", damage_version, VARVE_CORRUPT,
            "bytes 0 to 56: expected XXH3-64" },
        { "damaged magic", damage_magic, VARVE_NOT_A_CHECKPOINT,
            "not a checkpoint, or not in a format this build reads" },
        { "damaged footer magic", damage_footer_magic, VARVE_CORRUPT,
            "the footer at offset" },
        { "damaged footer", damage_footer, VARVE_CORRUPT, "expected XXH3-64" },
        { "damaged index", damage_index, VARVE_CORRUPT, "file: index: bytes " },
        { "no footer", wipe_footer, VARVE_TRUNCATED, "no footer at offset" },
        { "longer", say_longer, VARVE_TRUNCATED, "bytes, found " },
        { "shorter", say_shorter, VARVE_CORRUPT, "bytes, found " },
        { "other nonce", say_other_nonce, VARVE_CORRUPT, "another file" },
        { "other digest", say_other_digest, VARVE_CORRUPT, "another file" },
        { "large index", say_large_index, VARVE_CORRUPT,
            "expected an index up" },
        { "small index", say_small_index, VARVE_CORRUPT,
            "expected an index up" },
        { "index off 64", move_index_off_64, VARVE_CORRUPT, "an index" },
        { "index at 0", move_index_into_header, VARVE_CORRUPT, "an index" },
        { "index behind", move_index_behind, VARVE_CORRUPT, "an index" },
        { "half an index", cut_index, VARVE_CORRUPT, "file: index at offset" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct saved f;
        varve_error error = { 0 };
        saved_file_make(&f, sample_build);
        rows[i].apply(&f);
        varve_status status = open_and_read(&f.context, &error);
        cr_assert_eq(status, rows[i].status, "%s: %s: %s", rows[i].what,
            varve_status_name(status), error.message);
        cr_assert(strstr(error.message, rows[i].says), "%s: %s", rows[i].what,
            error.message);
        cr_assert(strstr(error.message, "file: "), "%s", error.message);
        saved_file_end(&f);
    }
}

TEST(data_in, detects_empty_foreign_and_missing_files)
{
    varve_error error;
    struct memory *memory = memory_new();
    struct vv_context context = test_context(memory_system(memory));
    struct vv_opened in;
    cr_assert_eq(
        vv_data_in_open(&in, &context, "file", &error), VARVE_NOT_FOUND);
    memory_put(memory, "file", "", 0);
    cr_assert_eq(
        vv_data_in_open(&in, &context, "file", &error), VARVE_EMPTY_FILE);
    memory_put(memory, "file", "hello", 5);
    cr_assert_eq(
        vv_data_in_open(&in, &context, "file", &error), VARVE_NOT_A_CHECKPOINT);
    memory_put(memory, "directory/file", "", 0);
    cr_assert_eq(vv_data_in_open(&in, &context, "directory", &error),
        VARVE_IS_DIRECTORY);
    cr_assert_eq(memory_open_count(memory), 0);
    memory_free(memory);
}

TEST(data_in, recognizes_the_first_bytes_of_a_checkpoint)
{
    cr_assert(vv_data_in_is_ours(VV_HEADER_MAGIC "more", 12));
    cr_assert(vv_data_in_is_ours(VV_HEADER_MAGIC, 8));
    cr_assert_not(vv_data_in_is_ours(VV_HEADER_MAGIC, 7));
    cr_assert_not(vv_data_in_is_ours("\x89PNG\r\n\x1a\n", 8));
}

/* --- Damage --------------------------------------------------------------- */

TEST(data_in, refuses_every_truncation)
{
    struct saved f;
    varve_error error;
    saved_file_make(&f, sample_build);
    unsigned char *copy = malloc(f.size);
    memcpy(copy, f.bytes, f.size);
    for (size_t size = 0; size < f.size; size++) {
        memory_put(f.memory, "file", copy, size);
        varve_status status = open_and_read(&f.context, &error);
        varve_status expected = size == 0 ? VARVE_EMPTY_FILE
                                : size < 8 ? VARVE_NOT_A_CHECKPOINT
                                           : VARVE_TRUNCATED;
        cr_assert_eq(status, expected, "%zu bytes: %s", size, error.message);
        if (size >= 8 && size < 128)
            cr_assert(strstr(error.message, "at least 128 bytes"));
    }
    free(copy);
    saved_file_end(&f);
}

TEST(data_in, refuses_a_file_with_trailing_bytes)
{
    struct saved f;
    varve_error error;
    saved_file_make(&f, sample_build);
    for (size_t more = 1; more < 200; more++) {
        memory_resize(f.memory, "file", f.size + more);
        cr_assert_eq(open_and_read(&f.context, &error), VARVE_TRUNCATED);
    }
    /* A second footer after the first. */
    f.bytes = memory_bytes(f.memory, "file", &f.size);
    memory_resize(f.memory, "file", f.size - 199 + 64);
    f.bytes = memory_bytes(f.memory, "file", &f.size);
    memcpy(f.bytes + f.size - 64, f.bytes + f.size - 128, 64);
    cr_assert_eq(open_and_read(&f.context, &error), VARVE_CORRUPT);
    saved_file_end(&f);
}

/* Within the large value, one bit of 101. */
TEST(data_in, refuses_every_flipped_bit)
{
    struct saved f;
    varve_error error;
    saved_file_make(&f, sample_build);
    size_t begin = 8 * 5000, finish = 8 * 70000;
    for (size_t i = 0; i < 8 * f.size;
         i += i > begin && i < finish ? 101 : 1) {
        f.bytes[i / 8] ^= (unsigned char)(1 << i % 8);
        varve_status status = open_and_read(&f.context, &error);
        cr_assert(status == VARVE_CORRUPT ||
                      (status == VARVE_NOT_A_CHECKPOINT && i < 64),
            "bit %zu: %s", i, varve_status_name(status));
        f.bytes[i / 8] ^= (unsigned char)(1 << i % 8);
    }
    cr_assert_ok(open_and_read(&f.context, &error), error);
    saved_file_end(&f);
}

TEST(data_in, refuses_a_mixture_of_two_files)
{
    struct saved a, b;
    varve_error error;
    saved_file_make(&a, sample_build);
    saved_file_make(&b, sample_build_smallest);
    memcpy(a.bytes, b.bytes, 64);
    cr_assert_eq(open_and_read(&a.context, &error), VARVE_CORRUPT);
    cr_assert(strstr(error.message, "another file"), "%s", error.message);
    saved_file_end(&a);
    saved_file_end(&b);
}

TEST(data_in, needs_memory_proportional_to_the_file)
{
    struct saved f;
    varve_error error;
    saved_file_make(&f, sample_build_smallest);
    test_reset_peak();
    cr_assert_ok(open_and_read(&f.context, &error), error);
    cr_assert_leq(test_peak_bytes(), 16 * f.size + (64 << 10));
    /* An index whose size exceeds any memory must not be allocated. */
    say_large_index(&f);
    test_reset_peak();
    cr_assert_eq(open_and_read(&f.context, &error), VARVE_CORRUPT);
    cr_assert_leq(test_peak_bytes(), 16 * f.size + (64 << 10));
    saved_file_end(&f);
}

/* --- Failures ------------------------------------------------------------- */

TEST(data_in, reports_a_file_that_became_shorter)
{
    struct saved f;
    struct vv_opened in;
    varve_error error;
    saved_file_make(&f, sample_build);
    cr_assert_ok(vv_data_in_open(&in, &f.context, "file", &error), error);
    memory_resize(f.memory, "file", 100);
    cr_assert_eq(saved_file_read(&in, &error), VARVE_TRUNCATED);
    vv_opened_close(&in);
    saved_file_end(&f);
}

TEST(data_in, reports_each_call_that_fails)
{
    struct saved f;
    saved_file_make(&f, sample_build);
    struct faulty *faulty = faulty_new(memory_system(f.memory));
    struct vv_context context = test_context(faulty_system(faulty));
    long n = 0;
    for (;; n++) {
        varve_error error = { 0 };
        faulty_plan(faulty, &(struct faulty_plan){ .number = n,
            .kinds = FAULTY_ALL & ~FAULTY_CLOSE, .error = EIO });
        varve_status status = open_and_read(&context, &error);
        if (!faulty_hit(faulty))
            break;
        cr_assert_eq(status, VARVE_IO);
        cr_assert_eq(error.system_error, EIO);
        cr_assert_eq(test_block_count(), 0);
        cr_assert_eq(faulty_open_count(faulty), 0);
    }
    cr_assert_gt(n, 5 + SAMPLE_VALUE_COUNT);
    faulty_free(faulty);
    saved_file_end(&f);
}

TEST(data_in, leaks_nothing_without_memory)
{
    struct saved f;
    struct vv_opened in;
    varve_error error;
    saved_file_make(&f, sample_build);
    long failing = 0;
    for (;; failing++) {
        test_fail_allocation(failing, false);
        varve_status status = vv_data_in_open(&in, &f.context, "file", &error);
        test_fail_allocation(-1, false);
        if (!status)
            break;
        cr_assert_eq(status, VARVE_NO_MEMORY);
        cr_assert_eq(test_block_count(), 0);
        cr_assert_eq(memory_open_count(f.memory), 0);
    }
    cr_assert_geq(failing, 6);
    vv_opened_close(&in);
    saved_file_end(&f);
}
