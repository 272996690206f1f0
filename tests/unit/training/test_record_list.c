/* test_record_list.c - Tests lists of record files.
 *
 * SPDX-License-Identifier: MIT
 */
#include "record_list.h"

#include <stdio.h>
#include <string.h>

#include "support/test.h"
#include "fixed_source.h"
#include "line_source.h"
#include "sources.h"
#include "tfrecord_source.h"

/* The text of files with these paths; each has its own number of records. */
static void put_list(struct vv_buffer *text, const char *const *paths)
{
    vv_buffer_init(text, test_allocator());
    for (uint64_t i = 0; paths[i]; i++) {
        const struct vv_listed_form form = {
            .path = paths[i], .records = i, .bytes = 10 * i, .what = "content",
        };
        vv_list_text_add(text, &form);
    }
}

static varve_status compare_texts(const char *const *saved,
    const char *const *opened, bool allow_appended, uint64_t *files,
    varve_error *error)
{
    struct vv_buffer one, other;
    put_list(&one, saved);
    put_list(&other, opened);
    const struct vv_listed_texts texts = {
        .name = "files",
        .saved = (const char *)one.data,
        .saved_size = one.size,
        .opened = (const char *)other.data,
        .opened_size = other.size,
        .allow_appended = allow_appended,
    };
    varve_status status = vv_list_text_compare(&texts, files, error);
    vv_buffer_clear(&one);
    vv_buffer_clear(&other);
    return status;
}

TEST(list_text, has_a_line_for_each_file)
{
    static const char *const paths[] = { "a/b/c.txt", "d\n%", "e/", NULL };
    struct vv_buffer text;
    put_list(&text, paths);
    cr_assert_str_eq(vv_buffer_string(&text),
        "c.txt: 0 records, 0 bytes, content 00000000000000000000000000000000\n"
        "d%0A%25: 1 records, 10 bytes, "
        "content 00000000000000000000000000000000\n"
        "e%2F: 2 records, 20 bytes, "
        "content 00000000000000000000000000000000\n");
    vv_buffer_clear(&text);
}

TEST(list_text, finds_the_first_difference)
{
    static const char *const ab[] = { "x/a", "x/b", NULL };
    static const char *const moved[] = { "y/z/a", "b", NULL };
    static const char *const ac[] = { "a", "c", NULL };
    static const char *const a[] = { "a", NULL };
    static const char *const abc[] = { "a", "b", "c", NULL };
    static const char *const none[] = { NULL };
    uint64_t files = 77;
    varve_error error = { 0 };
    cr_assert_ok(compare_texts(ab, moved, false, &files, &error), error);
    cr_assert_eq(files, 2);
    cr_assert_eq(compare_texts(ab, ac, true, &files, &error), VARVE_MISMATCH);
    cr_assert(
        strstr(error.message, "file 1 of the list differs from that of the "
                              "saved position: expected b: 1 records"),
        "%s", error.message);
    cr_assert(strstr(error.message, "found c: 1 records"));
    cr_assert_eq(compare_texts(ab, a, true, &files, &error), VARVE_MISMATCH);
    cr_assert(strstr(error.message, "found no more files"));
    cr_assert_eq(compare_texts(ab, abc, false, &files, &error),
        VARVE_MISMATCH);
    cr_assert(strstr(error.message,
                  "file 2 of the list differs from that of "
                  "the saved position: expected no more files; found c: 2"),
        "%s", error.message);
    cr_assert(strstr(error.message, "allow_appended"));
    cr_assert_ok(compare_texts(ab, abc, true, &files, &error), error);
    cr_assert_eq(files, 2);
    cr_assert_eq(compare_texts(none, abc, true, &files, &error),
        VARVE_MISMATCH);
}

TEST(list_text, refuses_invalid_saved_texts)
{
    static const char *const paths[] = { "a", "b", NULL };
    struct vv_buffer opened;
    put_list(&opened, paths);
    for (size_t size = 1; size <= opened.size + 1; size++) {
        for (size_t flip = 0; flip < size; flip++) {
            char saved[256] = { 0 };
            uint64_t files;
            varve_error error = { 0 };
            memcpy(saved, opened.data, opened.size);
            saved[flip] ^= flip + 1 < size ? 1 : 0;
            const struct vv_listed_texts texts = { "files", saved, size,
                (const char *)opened.data, opened.size, true };
            varve_status status = vv_list_text_compare(&texts, &files, &error);
            bool is_line = saved[size - 1] == '\n';
            bool is_same = size <= opened.size &&
                memcmp(saved, opened.data, size) == 0;
            cr_assert_eq(status,
                is_same && is_line ? VARVE_OK : VARVE_MISMATCH);
            cr_assert_null(strchr(error.message, '\n'));
        }
    }
    vv_buffer_clear(&opened);
}

enum { MANY = VV_OPEN_FILES + 3 };

/* Opens "file" so many times that not all can be open at the same time. */
static varve_records *open_many(const struct vv_context *context,
    const varve_records_options *options, varve_error *error)
{
    const char *paths[MANY];
    const struct vv_record_paths all = { paths, MANY };
    for (int i = 0; i < MANY; i++)
        paths[i] = "file";
    return vv_records_open_line_files_in(context, &all, options, error);
}

static varve_records *open_tfrecord_pair(const struct vv_context *context,
    const varve_records_options *options, varve_error *error)
{
    static const char *const paths[] = { "file", "file" };
    static const struct vv_record_paths all = { paths, 2 };
    return vv_records_open_tfrecord_files_in(context, &all, options, error);
}

/* Repeats `line` for each file. */
static const char *often(const char *line)
{
    static char text[MANY * 8];
    text[0] = '\0';
    for (int i = 0; i < MANY; i++)
        strcat(text, line);
    return text;
}

TEST(record_list, has_the_records_of_all_files)
{
    unsigned char file[64];
    holds(open_many, "a\nb", 3, often("a|b|"));
    holds(open_many, "", 0, "");
    size_t size = put_tfrecord(file, 0, "abc", 3);
    size = put_tfrecord(file, size, "", 0);
    holds(open_tfrecord_pair, file, size, "abc||abc||");
}

TEST(record_list, handles_failed_calls)
{
    unsigned char file[64];
    survives_faults(open_many, "a\nb", 3, often("a|b|"));
    size_t size = put_tfrecord(file, 0, "abc", 3);
    survives_faults(open_tfrecord_pair, file, size, "abc|abc|");
}

/* --- Separate files ------------------------------------------------------- */

static const char *const three[] = { "x/1", "x/2", "x/3" };
static const struct vv_record_paths all_three = { three, 3 };

static struct memory *make_three(
    const char *first, const char *second, const char *third)
{
    struct memory *memory = memory_new();
    memory_put(memory, three[0], first, strlen(first));
    memory_put(memory, three[1], second, strlen(second));
    memory_put(memory, three[2], third, strlen(third));
    return memory;
}

static varve_records *open_three(
    struct memory *memory, const varve_records_options *options)
{
    varve_error error = { 0 };
    struct vv_context context = test_context(memory_system(memory));
    varve_records *records =
        vv_records_open_line_files_in(&context, &all_three, options, &error);
    cr_assert(records, "%s", error.message);
    return records;
}

TEST(record_list, skips_the_first_lines_of_each_file)
{
    char text[64];
    const varve_records_options skip = { .epochs = 1, .skip_lines = 1 };
    struct memory *memory = make_three("h\r\na\r\n", "", "h\nb\nc");
    varve_records *records = open_three(memory, &skip);
    read_all(records, text, sizeof text);
    cr_assert_str_eq(text, "a|b|c|");
    varve_records_free(records);
    memory_free(memory);
    memory = make_three("h", "h\n", "h\n\nb\n");
    records = open_three(memory, &skip);
    read_all(records, text, sizeof text);
    cr_assert_str_eq(text, "|b|");
    varve_records_free(records);
    memory_free(memory);
}

TEST(record_list, returns_the_file_of_a_record)
{
    uint64_t record = 77;
    struct memory *memory = make_three("a\nb\n", "", "c");
    varve_records *records = open_three(memory, &plain_options);
    cr_assert_str_eq(varve_records_file(records, 0, &record), "x/1");
    cr_assert_eq(record, 0);
    cr_assert_str_eq(varve_records_file(records, 1, &record), "x/1");
    cr_assert_eq(record, 1);
    cr_assert_str_eq(varve_records_file(records, 2, &record), "x/3");
    cr_assert_eq(record, 0);
    cr_assert_str_eq(varve_records_file(records, 2, NULL), "x/3");
    cr_assert_null(varve_records_file(records, 3, &record));
    cr_assert_null(varve_records_file(NULL, 0, NULL));
    varve_records_free(records);
    memory_free(memory);
}

TEST(record_list, refuses_a_changed_file)
{
    varve_error error = { 0 };
    varve_batch batch;
    struct memory *memory = make_three("a\n", "b\n", "c\n");
    varve_records *records = open_three(memory, &plain_options);
    memory_put(memory, "x/2", "bb\n", 3);
    cr_assert_ok(varve_records_next(records, &batch, &error), error);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(
            varve_records_next(records, &batch, &error), VARVE_MISMATCH);
        cr_assert(strstr(error.message, "x/2: the file has changed since its "
            "records were opened: it had"),
            "%s", error.message);
        cr_assert_eq(varve_records_consumed(records), 1);
    }
    memory_put(memory, "x/2", "b\n", 2);
    cr_assert_ok(varve_records_next(records, &batch, &error), error);
    varve_records_free(records);
    cr_assert_eq(memory_open_count(memory), 0);
    memory_free(memory);
}

TEST(record_list, keeps_few_files_open)
{
    varve_error error = { 0 };
    char name[MANY][8];
    const char *paths[MANY];
    const struct vv_record_paths all = { paths, MANY };
    struct memory *memory = memory_new();
    struct vv_context context = test_context(memory_system(memory));
    const varve_records_options options = {
        .shuffle = true, .epochs = 20, .batch = 7,
    };
    for (int i = 0; i < MANY; i++) {
        paths[i] = name[i];
        sprintf(name[i], "f%d", i);
        memory_put(memory, name[i], "a\nb\nc\n", 6);
    }
    varve_records *records =
        vv_records_open_line_files_in(&context, &all, &options, &error);
    cr_assert(records, "%s", error.message);
    cr_assert_eq(memory_open_count(memory), 0);
    size_t most = 0;
    for (varve_batch batch = { .count = 1 }; batch.count;) {
        cr_assert_ok(varve_records_next(records, &batch, &error), error);
        size_t open = (size_t)memory_open_count(memory);
        most = open > most ? open : most;
    }
    cr_assert_eq(most, VV_OPEN_FILES);
    varve_records_free(records);
    memory_free(memory);
}

/* --- Refused lists -------------------------------------------------------- */

static void refuses_paths(const char *const *paths, size_t count,
    const varve_records_options *options, const char *says)
{
    varve_error error = { 0 };
    varve_records *records =
        varve_records_open_line_files(paths, count, options, &error);
    cr_assert_null(records);
    cr_assert_eq(error.status, VARVE_MISUSE);
    cr_assert(strstr(error.message, says), "%s", error.message);
}

TEST(record_list, refuses_options_without_effect_and_invalid_lists)
{
    varve_error error = { 0 };
    static const char *const hole[] = { "a", NULL };
    const varve_records_options skip = { .skip_lines = 1 };
    const varve_records_options appended = { .allow_appended = true };
    const varve_source source = { .count = 1, .read = vv_record_list_read };
    refuses_paths(NULL, 3, NULL, "files: no paths");
    refuses_paths(three, 0, NULL, "files: no paths");
    refuses_paths(hole, 2, NULL, "of 2 paths, number 1 is NULL");
    refuses_paths(hole + 1, 1, NULL, "of 1 path, number 0 is NULL");
    cr_assert_null(varve_records_open_fixed_files(three, 3, 0, 0, NULL, NULL));
    cr_assert_null(
        varve_records_open_fixed_files(three, 3, 0, 4, &skip, &error));
    cr_assert(strstr(
        error.message, "skip_lines is only for sources of lines, found"));
    cr_assert_null(
        varve_records_open_tfrecord_files(three, 3, &skip, &error));
    cr_assert_eq(error.status, VARVE_MISUSE);
    cr_assert_null(varve_records_open_lines("a", &appended, &error));
    cr_assert(strstr(error.message, "a: allow_appended is only for lists of "
        "files"));
    cr_assert_null(varve_records_open_fixed("a", 0, 1, &skip, &error));
    cr_assert_null(varve_records_open_array("a", 1, 1, &skip, &error));
    cr_assert_eq(error.status, VARVE_MISUSE);
    cr_assert_null(varve_records_open_files(three, 3, &appended, &error));
    cr_assert_eq(error.status, VARVE_MISUSE);
    cr_assert_null(varve_records_open(&source, &skip, &error));
    cr_assert_eq(error.status, VARVE_MISUSE);
}

static varve_records *open_skipping(const struct vv_context *context,
    const varve_records_options *options, varve_error *error)
{
    static const char *const paths[] = { "file" };
    static const struct vv_record_paths one = { paths, 1 };
    return vv_records_open_line_files_in(context, &one, options, error);
}

TEST(record_list, refuses_a_file_with_fewer_lines_than_are_skipped)
{
    const varve_records_options skip = { .skip_lines = 3 };
    refuses(open_skipping, &skip, "a\nb\n", 4, VARVE_TRUNCATED,
        "file: skip_lines is 3, but the file has only 2 lines");
    refuses(open_skipping, &skip, "\n", 1, VARVE_TRUNCATED, "only 1 line");
}
