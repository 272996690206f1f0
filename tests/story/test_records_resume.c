/* test_records_resume.c - a run that is resumed in the middle of an epoch gets
 * exactly the batches that were left, and a source that has changed is refused.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

#include <stdio.h>
#include <string.h>

enum { EPOCHS = 3 };

/* A program that reads, and writes down what it reads. */
struct program {
    varve_graph *graph;
    varve_node *root;
    varve_records *records;
    char text[2048];
};

static void begin(struct program *p, varve_records *records)
{
    cr_assert_not_null(records);
    *p = (struct program){ .graph = story_graph(), .records = records };
    p->root = varve_graph_root(p->graph);
    varve_add_records(p->root, "data", records);
}

static void end(struct program *p)
{
    varve_graph_free(p->graph);
    varve_records_free(p->records);
}

/* Reads `count` batches, or as many as there are: "epoch: a b c.". */
static void read_batches(struct program *p, size_t count)
{
    varve_error error = { 0 };
    for (size_t i = 0; i < count; i++) {
        varve_batch batch;
        cr_assert_ok(varve_records_next(p->records, &batch, &error), error);
        if (batch.count == 0)
            break;
        size_t at = strlen(p->text);
        at += (size_t)sprintf(p->text + at, "%d:", (int)batch.epoch);
        for (size_t k = 0; k < batch.count; k++) {
            at += (size_t)sprintf(p->text + at, " %.*s",
                (int)batch.records[k].size,
                (const char *)batch.records[k].data);
        }
        strcpy(p->text + at, batch.ends_epoch ? ".\n" : "\n");
    }
}

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
    struct program first, second;
    begin(&first, open(options, NULL));
    read_batches(&first, at);
    story_write(first.root, "run");
    first.text[0] = '\0';
    read_batches(&first, SIZE_MAX);
    /* Another seed and the other order: those of the file count. */
    varve_records_options changed = *options;
    changed.seed++;
    changed.shuffle = !options->shuffle;
    begin(&second, open(&changed, NULL));
    read_batches(&second, at % 3);
    second.text[0] = '\0';
    varve_restoration *r = story_read(second.root, "run", NULL);
    story_consumed(r);
    varve_restoration_free(r);
    read_batches(&second, SIZE_MAX);
    cr_assert_str_eq(second.text, first.text);
    end(&first);
    end(&second);
}

TEST(records_resume, exactly_what_was_left_comes)
{
    static open_function *const opens[] = { open_lines, open_array,
        open_fixed };
    test_write_file(test_path("lines"), "one\ntwo\n3\n4\n\nsix", 16);
    test_write_file(test_path("fixed"), "-aabbccddee", 11);
    for (size_t kind = 0; kind < 3; kind++) {
        for (int way = 0; way < 8; way++) {
            const varve_records_options options = {
                .seed = 5,
                .shuffle = way & 1,
                .drop_last = way & 2,
                .no_content = way & 4,
                .batch = 1 + (size_t)way % 3 * 2,
                .epochs = EPOCHS,
                .allocator = test_allocator(),
            };
            for (size_t at = 0; at < 7 * EPOCHS + 2; at++)
                stop_and_resume(opens[kind], &options, at);
        }
    }
}

TEST(records_resume, a_reader_that_is_added_after_the_read_goes_on_too)
{
    struct program first, second;
    const varve_records_options options = {
        .shuffle = true,
        .batch = 2,
        .epochs = 2,
        .allocator = test_allocator(),
    };
    begin(&first, open_array(&options, NULL));
    read_batches(&first, 3);
    story_write(first.root, "run");
    first.text[0] = '\0';
    read_batches(&first, SIZE_MAX);
    second = (struct program){ .graph = story_graph() };
    second.root = varve_graph_root(second.graph);
    varve_restoration *r = story_read(second.root, "run", NULL);
    second.records = open_array(&options, NULL);
    varve_add_records(second.root, "data", second.records);
    story_consumed(r);
    varve_restoration_free(r);
    read_batches(&second, SIZE_MAX);
    cr_assert_str_eq(second.text, first.text);
    end(&first);
    end(&second);
}

TEST(records_resume, another_size_of_batch_goes_on_at_the_same_record)
{
    struct program first, second;
    varve_records_options options = {
        .batch = 3,
        .epochs = 1,
        .allocator = test_allocator(),
    };
    begin(&first, open_array(&options, NULL));
    read_batches(&first, 1);
    story_write(first.root, "run");
    options.batch = 2;
    begin(&second, open_array(&options, NULL));
    varve_restoration_free(story_read(second.root, "run", NULL));
    read_batches(&second, SIZE_MAX);
    cr_assert_str_eq(second.text, "0: d e\n0: f g.\n");
    end(&first);
    end(&second);
}

/* Writes a position in a file of `before`, reads it with one of `after`. */
static varve_status resume_changed(
    const char *before, const char *after, varve_error *error)
{
    struct program first, second;
    const varve_records_options options = { .allocator = test_allocator() };
    varve_batch batch;
    test_write_file(test_path("lines"), before, strlen(before));
    begin(&first, open_lines(&options, NULL));
    read_batches(&first, 1);
    story_write(first.root, "run");
    test_write_file(test_path("lines"), after, strlen(after));
    begin(&second, open_lines(&options, NULL));
    varve_restoration_free(story_read(second.root, "run", NULL));
    varve_status status = varve_records_check(second.records, error);
    cr_assert_eq(varve_records_next(second.records, &batch, NULL), status);
    if (status) {
        varve_records_rewind(second.records, 0);
        read_batches(&second, 1);
        cr_assert_str_eq(second.text, "0: a\n");
    }
    end(&first);
    end(&second);
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
    const char *found = strstr(error.message, "found 3 records with ");
    cr_assert(expected && found, "%s", error.message);
    cr_assert_eq(sscanf(expected,
        "3 records with the fingerprint %32[0-9a-f]", first), 1);
    cr_assert_eq(
        sscanf(found, "found 3 records with %32[0-9a-f]", second), 1);
    cr_assert_eq(strlen(first) + strlen(second), 64);
    cr_assert_str_neq(first, second);
    cr_assert_eq(
        resume_changed("a\nb\nc\n", "a\nb\nc\nd\n", &error), VARVE_MISMATCH);
    cr_assert(story_says(&error, "found 4 records"), "%s", error.message);
}

TEST(records_resume, a_snapshot_takes_the_position_back)
{
    struct program p;
    char kept[2048];
    const varve_records_options options = {
        .shuffle = true,
        .batch = 2,
        .epochs = 2,
        .allocator = test_allocator(),
    };
    begin(&p, open_array(&options, NULL));
    read_batches(&p, 2);
    varve_snapshot *snapshot = varve_snapshot_new(p.root, NULL);
    p.text[0] = '\0';
    read_batches(&p, SIZE_MAX);
    strcpy(kept, p.text);
    p.text[0] = '\0';
    varve_error error = { 0 };
    cr_assert_ok(varve_snapshot_restore(snapshot, &error), error);
    read_batches(&p, SIZE_MAX);
    cr_assert_str_eq(p.text, kept);
    varve_snapshot_free(snapshot);
    end(&p);
}
