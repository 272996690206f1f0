/* test_bundle_out_bundle_files.c - Tests the data files of TensorFlow
 * checkpoints.
 *
 * SPDX-License-Identifier: MIT
 */
#include "bundle_out.h"

#include "bundle.h"
#include "bundles.h"
#include "table_out.h"
#include "wire.h"

/* Makes an index that contains the number of data files and `text`. */
static void make_index(
    struct vv_table_out *table, size_t count, const char *text)
{
    struct vv_buffer header;
    vv_buffer_init(&header, test_allocator());
    vv_table_out_begin(table, test_allocator());
    vv_wire_number(&header, VV_HEADER_SHARD_COUNT, count);
    vv_table_out_add(table, "", 0, header.data, header.size);
    vv_table_out_add(table, "text", 4, text, strlen(text));
    vv_table_out_end(table);
    table->bytes.failed |= header.failed;
    vv_buffer_clear(&header);
}

/* Writes `count` data files that contain `text` and their number. */
static varve_status write_files(const struct vv_context *context, int flags,
    const char *text, int count, varve_error *error)
{
    struct vv_bundle_files files;
    struct vv_table_out table;
    varve_status status =
        vv_bundle_files_begin(&files, context, "run/m", flags, error);
    if (status)
        return status;
    for (int i = 0; i < count && !status; i++) {
        unsigned char digit = (unsigned char)('0' + i);
        status = vv_bundle_files_shard(&files, error);
        if (!status)
            status = vv_bundle_files_write(&files, text, strlen(text), error);
        if (!status)
            status = vv_bundle_files_write(&files, &digit, 1, error);
    }
    make_index(&table, vv_bundle_files_count(&files), text);
    if (table.bytes.failed)
        status = VARVE_NO_MEMORY;
    status = vv_bundle_files_end(&files, &table.bytes, status, error);
    vv_table_out_clear(&table);
    return status;
}

static bool has_index_of(struct memory *memory, const char *text)
{
    return file_has(memory, "run/m.index", text, strlen(text));
}

static bool is_old(struct memory *memory)
{
    return has_index_of(memory, "old") &&
           file_is_text(memory, "run/m.data-00000-of-00001", "old0");
}

/* Returns true if the index and its only data file are the new ones. */
static bool is_new(struct memory *memory)
{
    return has_index_of(memory, "new") &&
           file_is_text(memory, "run/m.data-00000-of-00002", "new0") &&
           file_is_text(memory, "run/m.data-00001-of-00002", "");
}

TEST(bundle_files, names_data_files_by_number_and_count)
{
    struct memory *memory = memory_new();
    struct vv_context context = test_context(memory_system(memory));
    varve_error error;
    cr_assert_ok(write_files(&context, 0, "new", 3, &error), error);
    cr_assert_eq(memory_file_count(memory), 4);
    cr_assert(file_is_text(memory, "run/m.data-00000-of-00003", "new0"));
    cr_assert(file_is_text(memory, "run/m.data-00001-of-00003", "new1"));
    cr_assert(file_is_text(memory, "run/m.data-00002-of-00003", "new2"));
    cr_assert(has_index_of(memory, "new"));
    cr_assert_eq(memory_open_count(memory), 0);
    memory_free(memory);
}

TEST(bundle_files, accepts_the_path_of_the_index_as_its_prefix)
{
    struct memory *memory = memory_new();
    struct vv_context context = test_context(memory_system(memory));
    static const char *const paths[][2] = { { "m.index", "m.index" },
        { "m.indexes", "m.indexes.index" }, { ".index", ".index.index" },
        { "m.index.index", "m.index.index" } };
    varve_error error;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        struct vv_bundle_files files;
        struct vv_buffer index;
        size_t size;
        vv_buffer_init(&index, test_allocator());
        cr_assert_ok(
            vv_bundle_files_begin(&files, &context, paths[i][0], 0, &error),
            error);
        cr_assert_ok(vv_bundle_files_end(&files, &index, 0, &error), error);
        cr_assert(memory_bytes(memory, paths[i][1], &size), "%s", paths[i][1]);
    }
    memory_free(memory);
}

TEST(bundle_files, refuses_invalid_prefixes)
{
    struct memory *memory = memory_new();
    struct vv_context context = test_context(memory_system(memory));
    struct vv_bundle_files files;
    varve_error error;
    cr_assert_eq(vv_bundle_files_begin(&files, &context, "", 0, &error),
        VARVE_NOT_FOUND);
    cr_assert_eq(vv_bundle_files_begin(&files, &context, "run/", 0, &error),
        VARVE_IS_DIRECTORY);
    cr_assert(strstr(error.message, "run/: the path is a directory"), "%s",
        error.message);
    cr_assert_eq(memory_open_count(memory), 0);
    memory_free(memory);
}

/* Pieces with sizes around that of the staging buffer. */
TEST(bundle_files, writes_small_and_large_chunks_in_order)
{
    struct memory *memory = memory_new();
    struct vv_context context = test_context(memory_system(memory));
    struct vv_bundle_files files;
    struct vv_buffer index, expected;
    varve_error error;
    static const size_t sizes[] = { 1, 262143, 1, 262144, 7, 262145, 0, 100000,
        200000, 600000, 3 };
    vv_buffer_init(&index, test_allocator());
    vv_buffer_init(&expected, test_allocator());
    cr_assert_ok(
        vv_bundle_files_begin(&files, &context, "m", 0, &error), error);
    cr_assert_ok(vv_bundle_files_shard(&files, &error), error);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        unsigned char *piece = vv_buffer_extend(&expected, sizes[i]);
        for (size_t k = 0; k < sizes[i]; k++)
            piece[k] = (unsigned char)(k * 7 + i);
        cr_assert_ok(
            vv_bundle_files_write(&files, piece, sizes[i], &error), error);
        cr_assert_eq(files.shards[0].size, expected.size);
    }
    cr_assert_ok(vv_bundle_files_end(&files, &index, 0, &error), error);
    cr_assert(
        file_is(memory, "m.data-00000-of-00001", expected.data, expected.size));
    vv_buffer_clear(&expected);
    memory_free(memory);
}

TEST(bundle_files, replaces_a_checkpoint_with_other_data_file_names)
{
    struct memory *memory = memory_new();
    struct vv_context context = test_context(memory_system(memory));
    varve_error error;
    cr_assert_ok(write_files(&context, 0, "old", 1, &error), error);
    cr_assert_ok(write_files(&context, 0, "new", 1, &error), error);
    cr_assert(is_new(memory));
    cr_assert_eq(memory_file_count(memory), 3);
    cr_assert_ok(write_files(&context, 0, "old", 1, &error), error);
    cr_assert(is_old(memory));
    cr_assert_eq(memory_file_count(memory), 2);
    cr_assert_ok(write_files(&context, 0, "more", 2, &error), error);
    cr_assert(file_is_text(memory, "run/m.data-00001-of-00002", "more1"));
    cr_assert_eq(memory_file_count(memory), 3);
    cr_assert_eq(memory_open_count(memory), 0);
    memory_free(memory);
}

/* Names that resemble those of data files. */
TEST(bundle_files, removes_no_files_of_others)
{
    static const char *const others[] = { "run/m.data-00000-of-00003",
        "run/m.data-00000-of-00001.tmp", "run/m.data-0-of-1",
        "run/n.data-00000-of-00001", "run/m.data-00000-of-000001", "run/m",
        "run/m.index.bak" };
    enum { OTHERS = sizeof others / sizeof *others };
    struct memory *memory = memory_new();
    struct vv_context context = test_context(memory_system(memory));
    varve_error error;
    for (int i = 0; i < OTHERS; i++)
        memory_put(memory, others[i], "other", 5);
    cr_assert_ok(write_files(&context, 0, "old", 1, &error), error);
    cr_assert_ok(write_files(&context, 0, "new", 1, &error), error);
    cr_assert(is_new(memory));
    for (int i = 0; i < OTHERS; i++)
        cr_assert(file_is_text(memory, others[i], "other"), "%s", others[i]);
    cr_assert_eq(memory_file_count(memory), OTHERS + 3);
    memory_free(memory);
}

/* Data files without an index were not referred to; nor were files that were
 * created in the meantime. */
TEST(bundle_files, keeps_data_files_without_an_index)
{
    struct memory *memory = memory_new();
    struct vv_context context = test_context(memory_system(memory));
    varve_error error;
    memory_put(memory, "run/m.data-00000-of-00001", "stray", 5);
    cr_assert_ok(
        write_files(&context, VV_PUBLISH_NO_REPLACE, "new", 1, &error), error);
    cr_assert(is_new(memory));
    cr_assert(file_is_text(memory, "run/m.data-00000-of-00001", "stray"));
    memory_free(memory);
}

TEST(bundle_files, keeps_the_older_checkpoint_without_memory)
{
    for (long n = 0;; n++) {
        struct memory *memory = memory_new();
        struct vv_context context = test_context(memory_system(memory));
        varve_error error;
        cr_assert_ok(write_files(&context, 0, "old", 1, &error), error);
        test_fail_allocation(n, false);
        varve_status status = write_files(&context, 0, "new", 5, &error);
        test_fail_allocation(-1, false);
        cr_assert(status == VARVE_OK || status == VARVE_NO_MEMORY);
        cr_assert(status == VARVE_OK || is_old(memory));
        cr_assert(status == VARVE_OK || memory_file_count(memory) == 2);
        cr_assert_eq(memory_open_count(memory), 0);
        bool is_done =
            status == VARVE_OK && n > 0 && memory_file_count(memory) == 6;
        memory_free(memory);
        if (is_done)
            break;
        cr_assert(n < 1000);
    }
}
