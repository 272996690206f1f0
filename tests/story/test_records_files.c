/* test_records_files.c - Tests that a run over several data files is resumed
 * with exactly the remaining records, and that a changed list of files is
 * rejected with the name of the file.
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L /* for kill and nanosleep */
#include "reading.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 4, RECORDS = 7, EPOCHS = 3 };

/* Files of the test's directory. */
struct list {
    char path[MOST][512];
    const char *paths[MOST];
    size_t count;
};

/* Returns a list of names up to NULL; creates files that do not exist. */
static struct list *list_of(const char *const *names)
{
    static struct list lists[4];
    static size_t turn;
    struct list *list = &lists[turn++ % 4];
    for (list->count = 0; names[list->count]; list->count++) {
        size_t i = list->count;
        cr_assert_lt(i, MOST);
        snprintf(list->path[i], sizeof list->path[i], "%s",
            test_path(names[i]));
        list->paths[i] = list->path[i];
    }
    return list;
}

static void put(const char *name, const char *text)
{
    test_write_file(test_path(name), text, strlen(text));
}

static const char *const abcd[] = { "a.csv", "b.csv", "c.csv", "d.csv", NULL };

/* Writes files of seven records after a header line; the second has none. */
static void put_files(void)
{
    put("a.csv", "n,v\n1\n2\n3\n");
    put("b.csv", "n,v\n");
    put("c.csv", "n,v\r\n4\r\n5");
    put("d.csv", "n,v\n6\n7\n");
}

static varve_records_options options_of(int way)
{
    return (varve_records_options){
        .seed = 5,
        .shuffle = way & 1,
        .drop_last = way & 2,
        .no_content = way & 4,
        .batch = 1 + (size_t)way % 3 * 2,
        .epochs = EPOCHS,
        .skip_lines = 1,
        .prefetch = way & 8 ? 4 : 0,
        .allocator = test_allocator(),
    };
}

static varve_records *open_csv(
    const char *const *names, const varve_records_options *options)
{
    varve_error error = { 0 };
    struct list *list = list_of(names);
    varve_records *records = varve_records_open_line_files(
        list->paths, list->count, options, &error);
    cr_assert(records, "%s", error.message);
    return records;
}

/* --- The sequence --------------------------------------------------------- */

TEST(records_files, are_read_in_order_without_their_header_lines)
{
    struct reading r;
    varve_records_options options = options_of(2);
    put_files();
    options.drop_last = false;
    options.batch = 5;
    options.epochs = 1;
    reading_begin(&r, open_csv(abcd, &options));
    reading_read(&r, SIZE_MAX);
    cr_assert_str_eq(r.text, "0: 1 2 3 4 5\n0: 6 7.\n");
    cr_assert_eq(varve_records_count(r.records), RECORDS);
    reading_end(&r);
}

/* All files are shuffled together, like a single file with all records. */
TEST(records_files, are_shuffled_across_files)
{
    struct reading files, whole;
    varve_records_options options = options_of(1);
    put_files();
    put("all.csv", "n,v\n1\n2\n3\n4\n5\n6\n7\n");
    reading_begin(&files, open_csv(abcd, &options));
    reading_begin(&whole,
        varve_records_open_lines(test_path("all.csv"), &options, NULL));
    reading_read(&files, SIZE_MAX);
    reading_read(&whole, SIZE_MAX);
    cr_assert_str_eq(files.text, whole.text);
    options.shuffle = false;
    struct reading plain;
    reading_begin(&plain, open_csv(abcd, &options));
    reading_read(&plain, SIZE_MAX);
    cr_assert_str_neq(files.text, plain.text);
    reading_end(&files);
    reading_end(&whole);
    reading_end(&plain);
}

TEST(records_files, provide_the_file_of_a_record)
{
    uint64_t record = 0;
    varve_records_options options = options_of(0);
    put_files();
    varve_records *records = open_csv(abcd, &options);
    const char *path = varve_records_file(records, 3, &record);
    cr_assert_str_eq(strrchr(path, '/'), "/c.csv");
    cr_assert_eq(record, 0);
    path = varve_records_file(records, 6, &record);
    cr_assert_str_eq(strrchr(path, '/'), "/d.csv");
    cr_assert_eq(record, 1);
    cr_assert_null(varve_records_file(records, RECORDS, &record));
    varve_records_free(records);
}

/* --- Resuming ------------------------------------------------------------- */

/* Waits for the prefetching thread, if there is one. */
static void let_read_ahead(const varve_records_options *options)
{
    const struct timespec moment = { .tv_nsec = 2000000 };
    if (options->prefetch)
        nanosleep(&moment, NULL);
}

/* Kills a process that has read further than it has saved. */
static void read_and_die(const varve_records_options *options, size_t saved)
{
    pid_t child = fork();
    if (child == 0) {
        struct reading r;
        reading_begin(&r, open_csv(abcd, options));
        reading_read(&r, saved);
        let_read_ahead(options);
        story_write(r.root, "run");
        reading_read(&r, 2);
        let_read_ahead(options);
        raise(SIGKILL);
        _exit(1);
    }
    int status;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL,
        "it ended with %d", status);
}

TEST(records_files, resume_exactly_after_a_kill)
{
    put_files();
    for (int way = 0; way < 16; way++) {
        const varve_records_options options = options_of(way);
        varve_records_options other = options;
        other.prefetch = way & 4 ? 0 : 3;
        for (size_t at = 0; at < RECORDS * EPOCHS + 2; at += 1 + at / 9) {
            struct reading whole, rest;
            varve_error error = { 0 };
            read_and_die(&options, at);
            reading_begin(&whole, open_csv(abcd, &options));
            reading_read(&whole, at);
            whole.text[0] = '\0';
            reading_read(&whole, SIZE_MAX);
            reading_begin(&rest, open_csv(abcd, &other));
            reading_read(&rest, at % 3);
            rest.text[0] = '\0';
            reading_resume(&rest, "run");
            cr_assert_ok(varve_records_check(rest.records, &error), error);
            reading_read(&rest, SIZE_MAX);
            cr_assert_str_eq(rest.text, whole.text);
            reading_end(&whole);
            reading_end(&rest);
        }
    }
}

typedef varve_records *open_function(
    const struct list *list, const varve_records_options *options);

static varve_records *open_fixed_list(
    const struct list *list, const varve_records_options *options)
{
    return varve_records_open_fixed_files(
        list->paths, list->count, 1, 3, options, NULL);
}

static varve_records *open_tfrecord_list(
    const struct list *list, const varve_records_options *options)
{
    return varve_records_open_tfrecord_files(
        list->paths, list->count, options, NULL);
}

static void stop_and_resume(
    open_function *open, const char *const *names, size_t at)
{
    struct reading first, second;
    const struct list *list = list_of(names);
    const varve_records_options options = {
        .shuffle = true,
        .seed = 5,
        .batch = 2,
        .epochs = EPOCHS,
        .prefetch = at % 2 * 4,
        .allocator = test_allocator(),
    };
    reading_begin(&first, open(list, &options));
    reading_read(&first, at);
    story_write(first.root, "run");
    first.text[0] = '\0';
    reading_read(&first, SIZE_MAX);
    reading_begin(&second, open(list, &options));
    reading_resume(&second, "run");
    reading_read(&second, SIZE_MAX);
    cr_assert_str_eq(second.text, first.text);
    cr_assert(at == 0 || strlen(first.text) > 0);
    reading_end(&first);
    reading_end(&second);
}

TEST(records_files, of_all_kinds_are_resumed)
{
    static const char *const fixed[] = { "f0", "f1", NULL };
    static const char *const tfrecords[] = { "t0", "t1", NULL };
    static const char one[] =
        "\3\0\0\0\0\0\0\0\260\231\111\016\157\156\145\001\100\125\010";
    static const char two[] =
        "\3\0\0\0\0\0\0\0\260\231\111\016\164\167\157\211\220\311\011"
        "\1\0\0\0\0\0\0\0\001\165\336\101\063\165\316\253\164";
    put("f0", "-aaabbb");
    put("f1", "-cccdddeee");
    test_write_file(test_path("t0"), one, sizeof one - 1);
    test_write_file(test_path("t1"), two, sizeof two - 1);
    for (size_t at = 0; at < 6; at++) {
        stop_and_resume(open_fixed_list, fixed, at);
        stop_and_resume(open_tfrecord_list, tfrecords, at);
    }
}

/* A failure is reported for the record that the program would have read. After
 * a save before it, the next run reads that record again. */
TEST(records_files, fail_when_the_record_is_read)
{
    struct reading r;
    varve_batch batch;
    varve_error error = { 0 };
    varve_records_options options = options_of(8);
    options.batch = 1;
    options.epochs = 1;
    options.prefetch = 100;
    put_files();
    reading_begin(&r, open_csv(abcd, &options));
    unlink(test_path("d.csv"));
    reading_read(&r, 1);
    let_read_ahead(&options);
    reading_read(&r, 4);
    cr_assert_str_eq(r.text, "0: 1\n0: 2\n0: 3\n0: 4\n0: 5\n");
    cr_assert_eq(varve_records_next(r.records, &batch, &error),
        VARVE_NOT_FOUND);
    cr_assert(story_says(&error, "d.csv"), "%s", error.message);
    cr_assert_eq(varve_records_consumed(r.records), 5);
    reading_end(&r);
}

/* --- Other files ---------------------------------------------------------- */

/* Saves after four records of the files, and resumes with other files. */
static varve_status resume_with(const char *const *names,
    void (*change)(void), const varve_records_options *options,
    struct reading *second, varve_error *error)
{
    struct reading first;
    varve_batch batch;
    varve_error again = { 0 };
    put_files();
    reading_begin(&first, open_csv(abcd, options));
    reading_read(&first, 4);
    story_write(first.root, "run");
    reading_end(&first);
    if (change)
        change();
    reading_begin(second, open_csv(names, options));
    reading_resume(second, "run");
    varve_status status = varve_records_check(second->records, error);
    if (status) {
        cr_assert(story_is_one_line(error), "%s", error->message);
        cr_assert_eq(
            varve_records_next(second->records, &batch, &again), status);
        cr_assert_str_eq(again.message, error->message);
    }
    return status;
}

static void refuses(const char *const *names, void (*change)(void),
    const char *expected, const char *found)
{
    varve_error error = { 0 };
    for (int way = 0; way < 8; way++) {
        struct reading second;
        varve_records_options options = options_of(way & 5);
        options.batch = 1;
        options.allow_appended = way & 2;
        cr_assert_eq(resume_with(names, change, &options, &second, &error),
            VARVE_MISMATCH);
        cr_assert(story_says(&error, expected) && story_says(&error, found),
            "%s", error.message);
        /* The change is accepted explicitly. */
        varve_records_rewind(second.records, 1);
        cr_assert_ok(varve_records_check(second.records, &error), error);
        reading_read(&second, 1);
        cr_assert_eq(varve_records_consumed(second.records), 1);
        reading_end(&second);
    }
}

/* Changes the file without changing its size. */
static void change_c(void)
{
    put("c.csv", "n,v\r\n4\r\n9");
}

static void shorten_c(void)
{
    put("c.csv", "n,v\r\n4\r\n");
}

static void lengthen_d(void)
{
    put("d.csv", "n,v\n6\n7\n8\n");
}

static void fill_b(void)
{
    put("b.csv", "n,v\n0\n");
}

TEST(records_files, that_changed_are_refused_with_their_name)
{
    refuses(abcd, change_c,
        "file 2 of the list differs from that of the saved position",
        "expected c.csv: 2 records");
    refuses(abcd, shorten_c, "expected c.csv: 2 records, 9 bytes",
        "found c.csv: 1 records, 8 bytes");
    refuses(abcd, lengthen_d, "expected d.csv: 2 records",
        "found d.csv: 3 records");
    refuses(abcd, fill_b, "expected b.csv: 0 records",
        "found b.csv: 1 records");
}

TEST(records_files, in_another_list_are_refused_with_their_name)
{
    static const char *const abc[] = { "a.csv", "b.csv", "c.csv", NULL };
    static const char *const acd[] = { "a.csv", "c.csv", "d.csv", NULL };
    static const char *const abdc[] = {
        "a.csv", "b.csv", "d.csv", "c.csv", NULL
    };
    refuses(abc, NULL, "expected d.csv: 2 records", "found no more files");
    refuses(acd, NULL, "expected b.csv: 0 records", "found c.csv: 2 records");
    refuses(abdc, NULL, "expected c.csv: 2 records", "found d.csv: 2 records");
}

/* The offset in the file is stored for information; a position with a wrong one
 * is invalid. */
TEST(records_files, refuse_a_position_at_another_record)
{
    static const char *const names[] = { "file", "record" };
    for (int way = 0; way < 4; way++) {
        struct reading r;
        varve_error error = { 0 };
        varve_records_options options = options_of(way & 1);
        options.batch = 2;
        put_files();
        reading_begin(&r, open_csv(abcd, &options));
        reading_read(&r, 1);
        cr_assert_ok(varve_records_check(r.records, &error), error);
        uint64_t *place =
            varve_data(varve_find(varve_find(r.root, "data"), names[way / 2]));
        ++*place;
        cr_assert_eq(varve_records_check(r.records, &error), VARVE_MISMATCH);
        cr_assert(story_says(&error,
                      "after 2 consumed records the position must be at "
                      "record"),
            "%s", error.message);
        --*place;
        cr_assert_ok(varve_records_check(r.records, &error), error);
        reading_end(&r);
    }
}

TEST(records_files, that_are_missing_are_reported_when_opened)
{
    varve_error error = { 0 };
    const varve_records_options options = options_of(0);
    put_files();
    unlink(test_path("c.csv"));
    struct list *list = list_of(abcd);
    cr_assert_null(varve_records_open_line_files(
        list->paths, list->count, &options, &error));
    cr_assert_eq(error.status, VARVE_NOT_FOUND);
    cr_assert(story_says(&error, "c.csv"), "%s", error.message);
}

/* --- Longer lists --------------------------------------------------------- */

static const char *const three_of_four[] = { "a.csv", "b.csv", "c.csv", NULL };

/* Saves after `at` batches of three files. The epoch ends with their records,
 * and the next one has those of four files. */
static void append_one(int way, size_t at)
{
    struct reading first, second, fresh;
    varve_error error = { 0 };
    varve_records_options options = options_of(way);
    options.batch = 2;
    reading_begin(&first, open_csv(three_of_four, &options));
    reading_read(&first, at);
    story_write(first.root, "run");
    first.text[0] = '\0';
    reading_read(&first, 2 - at + (options.drop_last ? 0 : 1));
    reading_begin(&second, open_csv(abcd, &options));
    reading_resume(&second, "run");
    cr_assert_eq(varve_records_check(second.records, &error), VARVE_MISMATCH);
    cr_assert(story_says(&error, "found d.csv: 2 records") &&
        story_says(&error, "allow_appended"), "%s", error.message);
    reading_end(&second);

    options.allow_appended = true;
    reading_begin(&second, open_csv(abcd, &options));
    reading_resume(&second, "run");
    cr_assert_ok(varve_records_check(second.records, &error), error);
    story_write(second.root, "again"); /* before any record is read */
    reading_resume(&second, "again");
    reading_read(&second, 2 - at + (options.drop_last ? 0 : 1));
    cr_assert_str_eq(second.text, first.text);
    second.text[0] = '\0';
    reading_read(&second, SIZE_MAX);
    reading_begin(&fresh, open_csv(abcd, &options));
    varve_records_rewind(fresh.records, 1);
    reading_read(&fresh, SIZE_MAX);
    cr_assert_str_eq(second.text, fresh.text);
    reading_end(&first);
    reading_end(&second);
    reading_end(&fresh);
}

TEST(records_files, may_be_appended_with_the_option)
{
    put_files();
    for (int way = 0; way < 16; way++)
        append_one(way, 1);
}
