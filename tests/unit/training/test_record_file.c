/* test_record_file.c - lib/training/record_file.c
 *
 * SPDX-License-Identifier: MIT
 */
#include "sources.h"

#include "record_file.h"
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

TEST(record_file, takes_bytes_behind_those_that_are_there)
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
