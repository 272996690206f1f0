/* test_record_file.c - Tests files of records.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sources.h"

#include <stdio.h>

#include "line_source.h"
#include "record_file.h"
#include "record_list.h"
#include "state.h"
#include "system.h"

static struct vv_record_file *open_file(struct memory *memory)
{
    struct vv_context context = test_context(memory_system(memory));
    varve_error error = { 0 };
    struct vv_record_file *file =
        vv_record_file_open(&context, "file", &error);
    cr_assert(file, "%s", error.message);
    return file;
}

TEST(record_file, counts_by_offsets_or_by_size)
{
    varve_error error = { 0 };
    struct memory *memory = memory_new();
    memory_put(memory, "file", "0123456789", 10);
    struct vv_record_file *file = open_file(memory);
    cr_assert_eq(vv_record_file_count(file), 0);
    for (uint64_t i = 0; i < 100; i++) {
        cr_assert_ok(vv_record_file_add(file, i, &error), error);
        cr_assert_eq(vv_record_file_count(file), i);
    }
    file->header_size = 2;
    file->record_size = 4;
    cr_assert_eq(vv_record_file_count(file), 2);
    vv_record_file_close(file);
    vv_record_file_close(NULL);
    cr_assert_eq(memory_open_count(memory), 0);
    memory_free(memory);
}

TEST(record_file, stamp_changes_with_size_and_time)
{
    varve_error error = { 0 };
    struct vv_digest first, other;
    struct memory *memory = memory_new();
    memory_set_now(memory, 1000);
    memory_put(memory, "file", "abc", 3);
    struct vv_record_file *file = open_file(memory);
    cr_assert_ok(vv_record_file_stamp(file, &first, &error), error);
    cr_assert_ok(vv_record_file_stamp(file, &other, &error), error);
    cr_assert(vv_digest_equal(&first, &other));
    vv_record_file_close(file);
    memory_set_now(memory, 1001);
    memory_put(memory, "file", "abc", 3);
    file = open_file(memory);
    cr_assert_ok(vv_record_file_stamp(file, &other, &error), error);
    cr_assert(!vv_digest_equal(&first, &other));
    vv_record_file_close(file);
    memory_set_now(memory, 1000);
    memory_put(memory, "file", "abcd", 4);
    file = open_file(memory);
    cr_assert_ok(vv_record_file_stamp(file, &other, &error), error);
    cr_assert(!vv_digest_equal(&first, &other));
    vv_record_file_close(file);
    memory_free(memory);
}

static uint64_t hinted[2];

static int note_hint(void *state, int file, uint64_t offset, uint64_t size)
{
    (void)state, (void)file;
    hinted[0] = offset;
    hinted[1] = size;
    return 0;
}

TEST(record_file, hints_at_the_bytes_of_a_record)
{
    varve_error error = { 0 };
    struct memory *memory = memory_new();
    memory_put(memory, "file", "0123456789", 10);
    struct vv_record_file *file = open_file(memory);
    struct vv_system system = *file->context.system;
    system.will_read = note_hint;
    file->context.system = &system;
    file->header_size = 2;
    file->record_size = 4;
    vv_record_file_hint(file, 1);
    cr_assert(hinted[0] == 6 && hinted[1] == 4);
    file->header_size = file->record_size = 0;
    for (uint64_t offset = 1; offset < 10; offset += 3)
        cr_assert_ok(vv_record_file_add(file, offset, &error), error);
    vv_record_file_hint(file, 0);
    cr_assert(hinted[0] == 1 && hinted[1] == 3);
    hinted[0] = 77;
    vv_record_file_shut(file);
    vv_record_file_hint(file, 0);
    cr_assert_eq(hinted[0], 77);
    vv_record_file_close(file);
    memory_free(memory);
}

TEST(record_file, appends_bytes_to_existing_ones)
{
    varve_error error = { 0 };
    varve_sink sink;
    const unsigned char *bytes;
    struct memory *memory = memory_new();
    memory_put(memory, "file", "0123456789", 10);
    struct vv_record_file *file = open_file(memory);
    vv_buffer_init(&sink.bytes, test_allocator());
    varve_put(&sink, "ab", 2);
    cr_assert_ok(
        vv_record_file_take(file, 3, 4, &sink, &bytes, &error), error);
    cr_assert_arr_eq(sink.bytes.data, "ab3456", 6);
    cr_assert_arr_eq(bytes, "3456", 4);
    cr_assert_eq(vv_record_file_take(file, 8, 3, &sink, &bytes, &error),
        VARVE_TRUNCATED);
    cr_assert_eq(
        vv_record_file_take(file, 0, UINT64_MAX, &sink, &bytes, &error),
        VARVE_NO_MEMORY);
    vv_buffer_clear(&sink.bytes);
    vv_record_file_close(file);
    memory_free(memory);
}

/* --- Files that change while they are open -------------------------------- */

static struct memory *open_lines(
    const varve_records_options *options, varve_records **records)
{
    static const char *const one = "file";
    static const struct vv_record_paths list = { &one, 1 };
    varve_error error = { 0 };
    struct memory *memory = memory_new();
    struct vv_context context = test_context(memory_system(memory));
    memory_put(memory, "file", "a\nb\nc\nd\n", 8);
    *records = options->allow_appended
                   ? vv_records_open_line_files_in(
                         &context, &list, options, &error)
                   : vv_records_open_lines_in(
                         &context, "file", options, &error);
    cr_assert(*records, "%s", error.message);
    return memory;
}

static void pause_for(struct memory *memory, int64_t nanoseconds)
{
    const struct vv_system *system = memory_system(memory);
    system->sleep(system->state, nanoseconds);
}

static void reads(varve_records *records, const char *wanted)
{
    varve_error error = { 0 };
    varve_batch batch;
    cr_assert_ok(varve_records_next(records, &batch, &error), error);
    cr_assert_eq(batch.count, 1);
    cr_assert_arr_eq(batch.records->data, wanted, 1);
}

static void finds_a_change(varve_records *records, uint64_t consumed)
{
    varve_error error = { 0 };
    varve_batch batch = { .count = 77 };
    cr_assert_eq(varve_records_next(records, &batch, &error), VARVE_MISMATCH);
    cr_assert(strstr(error.message, "file: the file has changed since its "
        "records were opened: it had"), "%s",
        error.message);
    cr_assert(strstr(error.message, "open the records again"), "%s",
        error.message);
    cr_assert_eq(varve_records_consumed(records), consumed);
    cr_assert_eq(batch.count, 77);
}

/* Checks that a change of the size, or only of the time, is detected. */
static void notices(const varve_records_options *options, const char *content)
{
    varve_records *records;
    struct memory *memory = open_lines(options, &records);
    reads(records, "a");
    pause_for(memory, 1);
    memory_put(memory, "file", content, strlen(content));
    pause_for(memory, VV_CHECK_INTERVAL);
    finds_a_change(records, 1);
    finds_a_change(records, 1);
    varve_records_free(records);
    cr_assert_eq(memory_open_count(memory), 0);
    memory_free(memory);
}

TEST(record_file, detects_a_change_while_it_is_open)
{
    static const char *const contents[] = { "w\nx\ny\nz\n",
        "a\nb\nc\nd\ne\n", "w" };
    const varve_records_options usual = { .epochs = 2 },
        list = { .epochs = 2, .allow_appended = true };
    for (size_t i = 0; i < 3; i++) {
        notices(&usual, contents[i]);
        notices(&list, contents[i]);
    }
}

TEST(record_file, is_checked_at_intervals)
{
    const varve_records_options usual = { .epochs = 2 };
    varve_records *records;
    struct memory *memory = open_lines(&usual, &records);
    pause_for(memory, VV_CHECK_INTERVAL);
    reads(records, "a");
    memory_put(memory, "file", "w\nx\ny\nz\n", 8);
    pause_for(memory, VV_CHECK_INTERVAL - 1);
    reads(records, "x");
    pause_for(memory, 1);
    finds_a_change(records, 2);
    varve_records_free(records);
    memory_free(memory);
}

TEST(record_file, detects_a_change_at_the_end_of_the_data)
{
    varve_error error = { 0 };
    varve_batch batch;
    for (int i = 0; i < 8; i++) {
        const varve_records_options options = { .epochs = 2,
            .batch = i & 2 ? 3 : 1,
            .drop_last = i & 1,
            .prefetch = i & 4 ? 1 : 0 };
        uint64_t given = 0;
        varve_records *records;
        struct memory *memory = open_lines(&options, &records);
        pause_for(memory, 1);
        memory_put(memory, "file", "w\nx\ny\nz\n", 8);
        while (varve_records_next(records, &batch, &error) == VARVE_OK) {
            cr_assert_gt(batch.count, 0);
            given += batch.count;
        }
        cr_assert_eq(error.status, VARVE_MISMATCH, "%s", error.message);
        cr_assert_lt(given, 8);
        varve_records_free(records);
        memory_free(memory);
    }
}

/* The file system sets its own time, so the new file has another size. */
static void replace(const char *path, const char *content)
{
    const char *other = test_path("other");
    FILE *file = fopen(other, "w");
    cr_assert(file && fputs(content, file) >= 0);
    cr_assert_eq(fclose(file), 0);
    cr_assert_eq(rename(other, path), 0);
}

TEST(record_file, detects_a_replaced_file)
{
    const varve_records_options once = { .epochs = 1, .batch = 4 };
    varve_error error = { 0 };
    varve_batch batch;
    const char *path = test_path("lines");
    replace(path, "a\nb\nc\nd\n");
    varve_records *records = varve_records_open_lines(path, &once, &error);
    cr_assert(records, "%s", error.message);
    replace(path, "a\nb\nc\nd\ne\n");
    cr_assert_eq(varve_records_next(records, &batch, &error), VARVE_MISMATCH);
    cr_assert(strstr(error.message, "lines: the file has changed since its "
        "records were opened: it had"), "%s",
        error.message);
    cr_assert_eq(remove(path), 0);
    cr_assert_ok(varve_records_next(records, &batch, &error), error);
    cr_assert_eq(batch.count, 4);
    varve_records_free(records);
}
