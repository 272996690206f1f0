/* test_records_resume.c - Tests that a run resumed within an epoch gets exactly
 * the remaining batches, and that a changed source is rejected.
 *
 * SPDX-License-Identifier: MIT
 */
#include "reading.h"

#include <stdio.h>
#include <string.h>

enum { EPOCHS = 3 };

typedef varve_records *open_function(
    const varve_records_options *options, varve_error *error);

static varve_records *open_lines(
    const varve_records_options *options, varve_error *error)
{
    return varve_records_open_lines(test_path("lines"), options, error);
}

static varve_records *open_array(
    const varve_records_options *options, varve_error *error)
{
    return varve_records_open_array("abcdefg", 7, 1, options, error);
}

static varve_records *open_fixed(
    const varve_records_options *options, varve_error *error)
{
    return varve_records_open_fixed(
        test_path("fixed"), 1, 2, options, error);
}

static void stop_and_resume(open_function *open,
    const varve_records_options *options, size_t at)
{
    struct reading first, second;
    reading_begin(&first, open(options, NULL));
    reading_read(&first, at);
    story_write(first.root, "run");
    first.text[0] = '\0';
    reading_read(&first, SIZE_MAX);
    /* Seed and order differ; those in the file are used. */
    varve_records_options changed = *options;
    changed.seed++;
    changed.shuffle = !options->shuffle;
    /* the position does not depend on the reader */
    changed.prefetch = at % 4 * 2;
    reading_begin(&second, open(&changed, NULL));
    reading_read(&second, at % 3);
    second.text[0] = '\0';
    varve_restoration *r = story_read(second.root, "run", NULL);
    story_consumed(r);
    varve_restoration_free(r);
    reading_read(&second, SIZE_MAX);
    cr_assert_str_eq(second.text, first.text);
    reading_end(&first);
    reading_end(&second);
}

TEST(records_resume, exactly_the_remaining_records_are_read)
{
    static open_function *const opens[] = { open_lines, open_array,
        open_fixed };
    test_write_file(test_path("lines"), "one\ntwo\n3\n4\n\nsix", 16);
    test_write_file(test_path("fixed"), "-aabbccddee", 11);
    for (size_t kind = 0; kind < 3; kind++) {
        for (int way = 0; way < 16; way++) {
            const varve_records_options options = {
                .seed = 5,
                .shuffle = way & 1,
                .drop_last = way & 2,
                .no_content = way & 4,
                .prefetch = way & 8 ? 5 : 0,
                .batch = 1 + (size_t)way % 3 * 2,
                .epochs = EPOCHS,
                .allocator = test_allocator(),
            };
            for (size_t at = 0; at < 7 * EPOCHS + 2; at++)
                stop_and_resume(opens[kind], &options, at);
        }
    }
}

TEST(records_resume, a_reader_added_after_the_read_continues)
{
    struct reading first, second;
    const varve_records_options options = {
        .shuffle = true,
        .batch = 2,
        .epochs = 2,
        .allocator = test_allocator(),
    };
    reading_begin(&first, open_array(&options, NULL));
    reading_read(&first, 3);
    story_write(first.root, "run");
    first.text[0] = '\0';
    reading_read(&first, SIZE_MAX);
    second = (struct reading){ .graph = story_graph() };
    second.root = varve_graph_root(second.graph);
    varve_restoration *r = story_read(second.root, "run", NULL);
    second.records = open_array(&options, NULL);
    varve_add_records(second.root, "data", second.records);
    story_consumed(r);
    varve_restoration_free(r);
    reading_read(&second, SIZE_MAX);
    cr_assert_str_eq(second.text, first.text);
    reading_end(&first);
    reading_end(&second);
}

TEST(records_resume, another_batch_size_continues_at_the_same_record)
{
    struct reading first, second;
    varve_records_options options = {
        .batch = 3,
        .epochs = 1,
        .allocator = test_allocator(),
    };
    reading_begin(&first, open_array(&options, NULL));
    reading_read(&first, 1);
    story_write(first.root, "run");
    options.batch = 2;
    reading_begin(&second, open_array(&options, NULL));
    varve_restoration_free(story_read(second.root, "run", NULL));
    reading_read(&second, SIZE_MAX);
    cr_assert_str_eq(second.text, "0: d e\n0: f g.\n");
    reading_end(&first);
    reading_end(&second);
}

/* Writes a position in a file of `before` and reads it with one of `after`. */
static varve_status resume_changed(
    const char *before, const char *after, varve_error *error)
{
    struct reading first, second;
    const varve_records_options options = { .allocator = test_allocator() };
    varve_batch batch;
    test_write_file(test_path("lines"), before, strlen(before));
    reading_begin(&first, open_lines(&options, NULL));
    reading_read(&first, 1);
    story_write(first.root, "run");
    test_write_file(test_path("lines"), after, strlen(after));
    reading_begin(&second, open_lines(&options, NULL));
    varve_restoration_free(story_read(second.root, "run", NULL));
    varve_status status = varve_records_check(second.records, error);
    cr_assert_eq(varve_records_next(second.records, &batch, NULL), status);
    if (status) {
        varve_records_rewind(second.records, 0);
        reading_read(&second, 1);
        cr_assert_str_eq(second.text, "0: a\n");
    }
    reading_end(&first);
    reading_end(&second);
    return status;
}

TEST(records_resume, a_changed_source_is_refused_with_both_fingerprints)
{
    varve_error error = { 0 };
    char first[33], second[33];
    cr_assert_eq(resume_changed("a\nb\nc\n", "a\nb\nc\n", &error), VARVE_OK);
    cr_assert_eq(
        resume_changed("a\nb\nc\n", "a\nb\nd\n", &error), VARVE_MISMATCH);
    cr_assert(story_is_one_line(&error));
    const char *expected = strstr(error.message, "3 records with the ");
    const char *found =
        strstr(error.message, "this source has 3 records with ");
    cr_assert(expected && found, "%s", error.message);
    cr_assert_eq(sscanf(expected,
        "3 records with the fingerprint %32[0-9a-f]", first), 1);
    cr_assert_eq(
        sscanf(found, "this source has 3 records with %32[0-9a-f]", second), 1);
    cr_assert_eq(strlen(first) + strlen(second), 64);
    cr_assert_str_neq(first, second);
    cr_assert_eq(
        resume_changed("a\nb\nc\n", "a\nb\nc\nd\n", &error), VARVE_MISMATCH);
    cr_assert(
        story_says(&error, "this source has 4 records"), "%s", error.message);
}

TEST(records_resume, a_snapshot_restores_the_position)
{
    struct reading p;
    char kept[2048];
    const varve_records_options options = {
        .shuffle = true,
        .batch = 2,
        .epochs = 2,
        .allocator = test_allocator(),
    };
    reading_begin(&p, open_array(&options, NULL));
    reading_read(&p, 2);
    varve_snapshot *snapshot = varve_snapshot_new(p.root, NULL);
    p.text[0] = '\0';
    reading_read(&p, SIZE_MAX);
    strcpy(kept, p.text);
    p.text[0] = '\0';
    varve_error error = { 0 };
    cr_assert_ok(varve_snapshot_restore(snapshot, &error), error);
    reading_read(&p, SIZE_MAX);
    cr_assert_str_eq(p.text, kept);
    varve_snapshot_free(snapshot);
    reading_end(&p);
}
