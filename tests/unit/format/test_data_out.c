/* test_data_out.c - Tests writing checkpoint files.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "data_out.h"
#include "support/faulty_system.h"
#include "support/index_sample.h"
#include "support/memory_system.h"
#include "support/test_context.h"
#include "system.h"
#include "unit/format/golden.h"

/* Returns the expected content of a file with these values and this index. */
static unsigned char *expected_file(struct sample *s, size_t *size)
{
    size_t count = sample_column(s, VV_KEY_VALUE_NODES)->size / 4;
    *size = (size_t)s->data_end + s->bytes.size + 64;
    unsigned char *file = calloc(1, *size);
    unsigned char *footer = file + *size - 64;
    struct vv_digest digest = vv_digest_of(s->bytes.data, s->bytes.size);
    memcpy(file, "\x89VRV\r\n\x1a\n\1\0\0\0", 12);
    memcpy(file + 16, digest.bytes, 16);
    vv_store64(file + 56, vv_hash_of(file, 56));
    for (size_t i = 0; i < count; i++) {
        uint64_t length;
        const void *bytes = sample_value(i, &length);
        if (bytes)
            memcpy(file + sample_at64(s, VV_KEY_VALUE_OFFSETS, i), bytes,
                (size_t)length);
    }
    memcpy(file + s->data_end, s->bytes.data, s->bytes.size);
    vv_store64(footer, s->data_end);
    vv_store64(footer + 8, s->bytes.size);
    memcpy(footer + 16, digest.bytes, 16);
    vv_store64(footer + 32, *size);
    memcpy(footer + 40, digest.bytes, 8);
    vv_store64(footer + 48, vv_hash_of(footer, 48));
    memcpy(footer + 56, "VRV\x89" "end\n", 8);
    return file;
}

static void check_file(struct sample *s)
{
    varve_error error;
    size_t size, expected_size;
    struct memory *memory = memory_new();
    struct vv_context context = test_context(memory_system(memory));
    cr_assert_ok(sample_save(s, &context, "file", &error), error);
    unsigned char *expected = expected_file(s, &expected_size);
    unsigned char *bytes = memory_bytes(memory, "file", &size);
    cr_assert_eq(size, expected_size);
    cr_assert_arr_eq(bytes, expected, size);
    free(expected);
    memory_free(memory);
}

TEST(data_out, writes_every_byte_as_documented)
{
    struct sample s;
    sample_build(&s);
    check_file(&s);
    sample_clear(&s);
    sample_build_smallest(&s);
    check_file(&s);
    sample_clear(&s);
}

static void check_golden(void (*build)(struct sample *), const char *path)
{
    struct sample s;
    size_t size, expected_size;
    build(&s);
    unsigned char *expected = expected_file(&s, &expected_size);
    unsigned char *bytes = test_read_file(path, &size);
    cr_assert_eq(size, expected_size);
    cr_assert_arr_eq(bytes, expected, size);
    free(bytes);
    free(expected);
    sample_clear(&s);
}

TEST(data_out, writes_the_golden_files)
{
    check_golden(sample_build_smallest,
        GOLDEN_DIRECTORY "/version-1-smallest.varve");
    check_golden(sample_build, GOLDEN_DIRECTORY "/version-1.varve");
}

TEST(data_out, aligns_values)
{
    cr_assert_eq(vv_data_place(64, 0), 64);
    cr_assert_eq(vv_data_place(65, 0), 72);
    cr_assert_eq(vv_data_place(72, 63), 72);
    cr_assert_eq(vv_data_place(72, 64), 128);
    cr_assert_eq(vv_data_place(64, 65535), 64);
    cr_assert_eq(vv_data_place(64, 65536), 4096);
    cr_assert_eq(vv_data_place(4096, 65536), 4096);
    cr_assert_eq(vv_data_place(4097, 1 << 30), 8192);
    cr_assert_eq(vv_data_place(INT64_MAX, 0), UINT64_C(1) << 63);
}

/* --- Write calls ---------------------------------------------------------- */

struct save {
    struct memory *memory;
    struct faulty *faulty;
    struct vv_context context;
    int file;
    struct vv_data_out out;
    struct vv_buffer digests;
    struct sample sample; /* the index */
    varve_error error;
};

static void begin(struct save *s, uint64_t total)
{
    s->memory = memory_new();
    s->faulty = faulty_new(memory_system(s->memory));
    s->context = test_context(faulty_system(s->faulty));
    const struct vv_system *system = s->context.system;
    s->file = system->create_file(system->state, VV_WORKING_DIRECTORY, "file");
    sample_build_smallest(&s->sample);
    vv_buffer_init(&s->digests, test_allocator());
    cr_assert_ok(vv_data_out_begin(&s->out, &s->context, s->file, "file", total,
                     &s->error),
        s->error);
}

static void end(struct save *s)
{
    vv_data_out_clear(&s->out);
    vv_data_out_clear(&s->out);
    vv_buffer_clear(&s->digests);
    sample_clear(&s->sample);
    s->context.system->close(s->context.system->state, s->file);
    faulty_free(s->faulty);
    memory_free(s->memory);
}

static uint64_t put(struct save *s, const void *bytes, size_t size)
{
    uint64_t offset = 0;
    const struct vv_source source = { .bytes = bytes };
    cr_assert_ok(vv_data_out_value(&s->out, &source, size, "value", &offset,
                     &s->digests, &s->error),
        s->error);
    return offset;
}

static void finish(struct save *s)
{
    struct vv_index index = sample_index(&s->sample);
    cr_assert_ok(vv_data_out_end(&s->out, &index, &s->error), s->error);
}

static unsigned char *pattern(size_t size)
{
    unsigned char *bytes = malloc(size);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(i * 31 + i / 253 + i / 65599);
    return bytes;
}

TEST(data_out, gathers_small_values_into_few_writes)
{
    struct save s;
    begin(&s, 0);
    unsigned char *bytes = pattern(4096);
    for (size_t i = 0; i < 1000; i++)
        cr_assert_eq(put(&s, bytes + i, 3000), 64 + i * 3008);
    finish(&s);
    size_t writes = 0, size;
    for (size_t i = 0; i < faulty_log_size(s.faulty); i++)
        writes += faulty_log_at(s.faulty, i)->kind == FAULTY_WRITE;
    cr_assert_eq(writes, 4, "3 MB in blocks of 1 MiB, and the header");
    unsigned char *file = memory_bytes(s.memory, "file", &size);
    for (size_t i = 0; i < 1000; i++)
        cr_assert_arr_eq(file + 64 + i * 3008, bytes + i, 3000);
    free(bytes);
    end(&s);
}

TEST(data_out, writes_large_values_in_chunks_with_a_digest_each)
{
    struct save s;
    begin(&s, 0);
    size_t size, large = 3 * VV_CHUNK_SIZE + 777;
    unsigned char *bytes = pattern(large);
    put(&s, bytes, 100);
    cr_assert_eq(put(&s, bytes, large), 4096);
    cr_assert_eq(s.digests.size, 5 * 16);
    for (size_t i = 0; i < 4; i++) {
        size_t part = i < 3 ? VV_CHUNK_SIZE : 777;
        struct vv_digest d = vv_digest_of(bytes + i * VV_CHUNK_SIZE, part);
        cr_assert_arr_eq(s.digests.data + 16 + 16 * i, d.bytes, 16);
    }
    finish(&s);
    for (size_t i = 0; i < faulty_log_size(s.faulty); i++) {
        const struct faulty_call *call = faulty_log_at(s.faulty, i);
        if (call->kind == FAULTY_WRITE)
            cr_assert_leq(call->size, VV_CHUNK_SIZE);
    }
    unsigned char *file = memory_bytes(s.memory, "file", &size);
    cr_assert_arr_eq(file + 4096, bytes, large);
    for (size_t i = 64 + 100; i < 4096; i++)
        cr_assert_eq(file[i], 0, "padding at %zu", i);
    free(bytes);
    end(&s);
}

TEST(data_out, needs_memory_independent_of_the_values)
{
    struct save s;
    begin(&s, 0);
    unsigned char *bytes = pattern(8 << 20);
    test_reset_peak();
    put(&s, bytes, 8 << 20);
    finish(&s);
    cr_assert_leq(test_peak_bytes(), (1 << 20) + (64 << 10));
    free(bytes);
    end(&s);
}

TEST(data_out, needs_little_memory_for_a_small_file)
{
    struct save s;
    unsigned char *bytes = pattern(40000);
    test_reset_peak();
    begin(&s, 0);
    put(&s, bytes, 40000);
    finish(&s);
    cr_assert_leq(test_peak_bytes(), (64 << 10) + (16 << 10));
    end(&s);
    free(bytes);
}

/* A crash before the header is written leaves no valid checkpoint. */
TEST(data_out, writes_the_header_last)
{
    struct save s;
    begin(&s, 0);
    static const unsigned char zeros[64];
    unsigned char *bytes = pattern(2 << 20);
    put(&s, bytes, 2 << 20);
    size_t size;
    cr_assert_arr_eq(memory_bytes(s.memory, "file", &size), zeros, 64);
    finish(&s);
    size_t last = faulty_log_size(s.faulty) - 1;
    cr_assert_eq(faulty_log_at(s.faulty, last)->kind, FAULTY_WRITE);
    cr_assert_eq(faulty_log_at(s.faulty, last)->offset, 0);
    cr_assert_eq(faulty_log_at(s.faulty, last)->size, 64);
    cr_assert_arr_eq(
        memory_bytes(s.memory, "file", &size), VV_HEADER_MAGIC, 8);
    free(bytes);
    end(&s);
}

static size_t count_calls(const struct save *s, enum faulty_kind kind)
{
    size_t count = 0;
    for (size_t i = 0; i < faulty_log_size(s->faulty); i++)
        count += faulty_log_at(s->faulty, i)->kind == kind;
    return count;
}

TEST(data_out, starts_write_back_during_the_save)
{
    struct save s;
    begin(&s, 0);
    unsigned char *bytes = pattern(40 << 20);
    put(&s, bytes, 40 << 20);
    cr_assert_geq(count_calls(&s, FAULTY_START_WRITE_BACK), 38);
    uint64_t end_of_last = 0;
    for (size_t i = 0; i < faulty_log_size(s.faulty); i++) {
        const struct faulty_call *call = faulty_log_at(s.faulty, i);
        if (call->kind != FAULTY_START_WRITE_BACK)
            continue;
        cr_assert_eq(call->offset, end_of_last, "one range after another");
        end_of_last = call->offset + call->size;
    }
    cr_assert_gt(end_of_last, 38 << 20);
    free(bytes);
    end(&s);
}

TEST(data_out, tries_write_back_only_once_if_not_supported)
{
    struct save s;
    begin(&s, 0);
    faulty_plan(s.faulty, &(struct faulty_plan){ .sticky = true,
        .kinds = FAULTY_START_WRITE_BACK, .error = ENOSYS });
    unsigned char *bytes = pattern(40 << 20);
    put(&s, bytes, 40 << 20);
    finish(&s);
    cr_assert_eq(count_calls(&s, FAULTY_START_WRITE_BACK), 1);
    free(bytes);
    end(&s);
}

TEST(data_out, reserves_disk_space_if_supported)
{
    struct save s;
    begin(&s, 123456);
    cr_assert_eq(count_calls(&s, FAULTY_RESERVE), 1);
    cr_assert_eq(s.out.total, 123456);
    end(&s);
    begin(&s, 12345); /* written in one call */
    cr_assert_eq(count_calls(&s, FAULTY_RESERVE), 0);
    end(&s);
    begin(&s, 0);
    cr_assert_eq(count_calls(&s, FAULTY_RESERVE), 0);
    static const struct {
        int error;
        varve_status status;
    } rows[] = {
        { EOPNOTSUPP, VARVE_OK }, { EINTR, VARVE_OK },
        { ENOSPC, VARVE_NO_SPACE }, { EIO, VARVE_IO },
    };
    for (size_t i = 0; i < 4; i++) {
        struct vv_data_out out;
        faulty_plan(s.faulty, &(struct faulty_plan){
            .kinds = FAULTY_RESERVE, .error = rows[i].error });
        cr_assert_eq(
            vv_data_out_begin(&out, &s.context, s.file, "file", 100000, NULL),
            rows[i].status, "row %zu", i);
        cr_assert(faulty_hit(s.faulty));
        vv_data_out_clear(&out);
    }
    end(&s);
}

/* --- Progress ------------------------------------------------------------- */

struct seen {
    unsigned calls;
    uint64_t done;
    unsigned cancel_at;
};

static int see(void *user, uint64_t done, uint64_t total, const char *what)
{
    struct seen *seen = user;
    cr_assert_str_eq(what, "value");
    cr_assert_eq(total, 5 << 20);
    cr_assert_gt(done, seen->done);
    seen->done = done;
    return ++seen->calls == seen->cancel_at;
}

TEST(data_out, reports_progress_by_chunk_and_can_be_cancelled)
{
    struct save s;
    struct seen seen = { .cancel_at = 5 };
    begin(&s, 0);
    s.out.progress = see;
    s.out.progress_user = &seen;
    s.out.total = 5 << 20;
    unsigned char *bytes = pattern(3 << 20);
    put(&s, bytes, 10);
    put(&s, bytes, 3 << 20);
    cr_assert_eq(seen.calls, 4);
    cr_assert_eq(seen.done, 4096 + (3 << 20));
    uint64_t offset = 0;
    const struct vv_source source = { .bytes = bytes };
    cr_assert_eq(vv_data_out_value(&s.out, &source, 3 << 20, "value", &offset,
                     &s.digests, &s.error),
        VARVE_CANCELLED);
    cr_assert(strstr(s.error.message, "file: cancelled"));
    cr_assert_eq(seen.calls, 5);
    free(bytes);
    end(&s);
}

/* --- Failures ------------------------------------------------------------- */

TEST(data_out, reports_each_call_that_fails)
{
    struct sample s;
    sample_build(&s);
    struct memory *memory = memory_new();
    struct faulty *faulty = faulty_new(memory_system(memory));
    struct vv_context context = test_context(faulty_system(faulty));
    static const int errors[] = { EIO, ENOSPC, EDQUOT, EFBIG, EACCES };
    unsigned failed = 0;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        for (long n = 0;; n++) {
            varve_error error = { 0 };
            faulty_plan(faulty, &(struct faulty_plan){ .number = n,
                .kinds = FAULTY_ALL & ~(FAULTY_REMOVE | FAULTY_CLOSE_CREATED),
                .error = errors[i] });
            varve_status status = sample_save(&s, &context, "file", &error);
            if (!faulty_hit(faulty)) {
                cr_assert_ok(status, error);
                const struct vv_system *system = memory_system(memory);
                system->remove(system->state, VV_WORKING_DIRECTORY, "file");
                break;
            }
            failed++;
            cr_assert_neq(status, VARVE_OK);
            cr_assert_eq(error.system_error, errors[i]);
            cr_assert(strstr(error.message, "file: "), "%s", error.message);
            cr_assert_eq(test_block_count(), 0);
            cr_assert_eq(memory_file_count(memory), 0);
        }
    }
    cr_assert_eq(failed, 5 * 3, "create, reserve, all in one write");
    faulty_free(faulty);
    memory_free(memory);
    sample_clear(&s);
}

/* Stages small values until `room` bytes are free in the buffer. */
static void fill_up_to(struct save *s, const unsigned char *bytes, size_t room)
{
    const size_t most = 40000, full = 1 << 20;
    while (s->out.staged + most + 64 < full)
        put(s, bytes, most);
    uint64_t begin = vv_data_place(s->out.offset, most);
    size_t padding = (size_t)(begin - s->out.offset);
    put(s, bytes, full - room - s->out.staged - padding);
    cr_assert_eq(s->out.staged, full - room);
}

/* The disk becomes full when the padding before a value, the value, the padding
 * before the index, the index or the footer is written. */
TEST(data_out, reports_a_full_disk_at_any_write)
{
    unsigned char *bytes = pattern(40000);
    for (size_t room = 0; room < 1500; room += room < 70 ? 1 : 13)
        for (int is_end = 0; is_end < 2; is_end++) {
            struct save s;
            uint64_t offset;
            begin(&s, 0);
            struct vv_index index = sample_index(&s.sample);
            fill_up_to(&s, bytes, room);
            faulty_plan(s.faulty, &(struct faulty_plan){ .sticky = true,
                .kinds = FAULTY_WRITE, .error = ENOSPC });
            const struct vv_source source = { .bytes = bytes };
            varve_status status = is_end
                ? vv_data_out_end(&s.out, &index, &s.error)
                : vv_data_out_value(&s.out, &source, 2000, "value", &offset,
                      &s.digests, &s.error);
            cr_assert_eq(status, VARVE_NO_SPACE, "%zu bytes before", room);
            cr_assert(strstr(s.error.message, "file: write failed"));
            end(&s);
        }
    free(bytes);
}

TEST(data_out, reports_an_index_that_cannot_be_written)
{
    struct save s;
    size_t size;
    begin(&s, 0);
    struct vv_index index = sample_index(&s.sample);
    varve_metadata twice[2] = { sample_metadata[0], sample_metadata[0] };
    index.metadata = twice;
    index.metadata_count = 2;
    cr_assert_eq(vv_data_out_end(&s.out, &index, &s.error), VARVE_MISUSE);
    memory_bytes(s.memory, "file", &size);
    cr_assert_eq(size, 0, "no header, no footer");
    end(&s);
}

TEST(data_out, continues_after_short_and_interrupted_writes)
{
    struct sample s;
    sample_build(&s);
    static const struct faulty_plan plans[] = {
        { .kinds = FAULTY_WRITE, .way = FAULTY_HALF },
        { .kinds = FAULTY_WRITE, .way = FAULTY_ONE_BYTE },
        { .kinds = FAULTY_WRITE, .error = EINTR },
    };
    size_t size, expected_size;
    unsigned char *expected = expected_file(&s, &expected_size);
    for (size_t i = 0; i < 3; i++) {
        varve_error error;
        struct memory *memory = memory_new();
        struct faulty *faulty = faulty_new(memory_system(memory));
        struct vv_context context = test_context(faulty_system(faulty));
        faulty_plan(faulty, &plans[i]);
        cr_assert_ok(sample_save(&s, &context, "file", &error), error);
        cr_assert(faulty_hit(faulty));
        unsigned char *bytes = memory_bytes(memory, "file", &size);
        cr_assert_eq(size, expected_size);
        cr_assert_arr_eq(bytes, expected, size);
        faulty_free(faulty);
        memory_free(memory);
    }
    free(expected);
    sample_clear(&s);
}

TEST(data_out, leaks_nothing_without_memory)
{
    struct sample s;
    varve_error error;
    sample_build(&s);
    struct memory *memory = memory_new();
    struct vv_context context = test_context(memory_system(memory));
    long failing = 0;
    for (;; failing++) {
        test_fail_allocation(failing, false);
        varve_status status = sample_save(&s, &context, "file", &error);
        test_fail_allocation(-1, false);
        if (!status)
            break;
        cr_assert_eq(status, VARVE_NO_MEMORY);
        cr_assert_eq(test_block_count(), 0);
        cr_assert_eq(memory_file_count(memory), 0);
    }
    cr_assert_geq(failing, 3, "staging, digests, digest of the index");
    memory_free(memory);
    sample_clear(&s);
}
