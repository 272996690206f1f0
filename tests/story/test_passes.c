/* test_passes.c - Tests that values are read once if nothing can be lost and
 * otherwise twice, and that partially restored values are not saved by
 * accident.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

#include <string.h>

enum { COUNT = 3000 };

static float a[COUNT], b[COUNT];
static varve_graph *graph;
static varve_node *root;
static varve_error error;

/* Values that exceed the staging size of a read. */
static const varve_read_options unstaged = {
    .resources = { .staging_size = 1, .threads = 1 } };

static void fill(float value)
{
    for (int i = 0; i < COUNT; i++)
        a[i] = b[i] = value;
}

static void add(void)
{
    varve_add_variable(root, "a", varve_array(a, COUNT));
    varve_add_variable(root, "b", varve_array(b, COUNT));
}

static void begin_empty(void)
{
    graph = story_graph();
    root = varve_graph_root(graph);
    error = (varve_error){ 0 };
}

/* Builds a program and a file of nines. */
static void begin(void)
{
    begin_empty();
    add();
    fill(9);
    story_write(root, "f");
    varve_graph_free(graph);
    begin_empty();
    add();
    fill(1);
}

static void end(void)
{
    varve_graph_free(graph);
}

/* Damages the value of b in the file; a second call repairs it. */
static void damage(void)
{
    story_damage("f", "b", 100);
}

static varve_passes passes_of(const varve_read_options *options)
{
    varve_restoration *r = story_read(root, "f", options);
    varve_passes passes = varve_restoration_passes(r);
    story_consumed(r);
    cr_assert(a[0] == 9 && b[COUNT - 1] == 9);
    varve_restoration_free(r);
    return passes;
}

static void half_restore(void)
{
    damage();
    story_refused(root, "f", &unstaged, VARVE_PARTIALLY_RESTORED, &error);
    cr_assert(a[0] == 9 && story_says(&error, "\n  a"), "%s", error.message);
    damage();
}

static void is_read(const varve_read_options *options, varve_passes passes)
{
    fill(1);
    cr_assert_eq(passes_of(options), passes);
}

/* --- How often ------------------------------------------------------------ */

TEST(passes, is_one_for_the_first_restoration)
{
    begin();
    is_read(&unstaged, VARVE_ONE_PASS);
    is_read(&unstaged, VARVE_TWO_PASSES);
    is_read(NULL, VARVE_ONE_PASS); /* staged */
    end();
}

TEST(passes, are_two_for_saved_variables)
{
    begin();
    story_write(root, "other");
    is_read(&unstaged, VARVE_TWO_PASSES);
    end();
    begin();
    varve_job *job =
        varve_write_async(root, test_path("other"), NULL, &error);
    cr_assert_ok(varve_job_wait(job, &error), error);
    varve_job_free(job);
    is_read(&unstaged, VARVE_TWO_PASSES);
    end();
}

TEST(passes, are_two_for_variables_in_a_snapshot)
{
    begin();
    varve_snapshot *snapshot = varve_snapshot_new(root, &error);
    cr_assert(snapshot, "%s", error.message);
    varve_snapshot_free(snapshot);
    is_read(&unstaged, VARVE_TWO_PASSES);
    end();
}

TEST(passes, are_two_for_partially_restored_variables)
{
    begin();
    half_restore();
    is_read(&unstaged, VARVE_TWO_PASSES);
    end();
}

TEST(passes, is_one_after_calls_that_changed_nothing)
{
    begin();
    varve_restoration *plan =
        varve_dry_run(root, test_path("f"), &unstaged, &error);
    cr_assert_eq(varve_restoration_passes(plan), VARVE_PASSES_AUTO);
    varve_restoration_free(plan);
    story_refused(root, "none", &unstaged, VARVE_NOT_FOUND, &error);
    varve_add_variable(root, "c", varve_array(COPY_OF(a), COUNT - 1));
    story_refused(root, "f",
        &(varve_read_options){ .rename = { .list =
                (const varve_rename[]){ { "c", "b" } },
            .count = 1 } }, VARVE_MISMATCH, &error);
    cr_assert(a[0] == 1 && b[0] == 1);
    varve_untrack(root, "c");
    is_read(&unstaged, VARVE_ONE_PASS);
    end();
}

TEST(passes, are_chosen_by_the_option)
{
    varve_read_options options = unstaged;
    begin();
    options.passes = VARVE_TWO_PASSES;
    damage();
    story_refused(root, "f", &options, VARVE_CORRUPT, &error);
    cr_assert(a[0] == 1 && b[0] == 1);
    damage();
    is_read(&options, VARVE_TWO_PASSES);
    options.passes = VARVE_ONE_PASS;
    is_read(&options, VARVE_ONE_PASS);
    end();
}

TEST(passes, of_variables_added_later_are_those_of_the_restoration)
{
    for (int is_saved = 0; is_saved < 2; is_saved++) {
        begin();
        end();
        begin_empty();
        varve_restoration *r = story_read(root, "f", &unstaged);
        cr_assert_eq(varve_restoration_passes(r), VARVE_PASSES_AUTO);
        varve_add_variable(root, "a", varve_array(a, COUNT));
        cr_assert_eq(varve_restoration_passes(r), VARVE_ONE_PASS);
        if (is_saved)
            story_write(root, "other");
        varve_add_variable(root, "b", varve_array(b, COUNT));
        cr_assert_eq(varve_restoration_passes(r),
            is_saved ? VARVE_TWO_PASSES : VARVE_ONE_PASS);
        story_consumed(r);
        varve_restoration_free(r);
        end();
    }
}

TEST(passes, are_two_when_a_value_is_restored_again)
{
    begin();
    varve_restoration *r = story_read(root, "f", &unstaged);
    cr_assert_eq(varve_restoration_passes(r), VARVE_ONE_PASS);
    cr_assert_ok(varve_restore_again(r, root, &error), error);
    cr_assert_eq(varve_restoration_passes(r), VARVE_TWO_PASSES);
    varve_restoration_free(r);
    end();
}

/* New memory is released, whatever was saved. */
TEST(passes, is_one_for_new_library_memory)
{
    float step = 0;
    varve_read_options options = unstaged;
    options.expect.missing = "step";
    begin();
    for (int is_damaged = 0; is_damaged < 2; is_damaged++) {
        end();
        begin_empty();
        varve_add_variable(root, "step", varve_scalar(&step));
        story_write(root, "other");
        varve_restoration *r = story_read(root, "f", &options);
        if (is_damaged)
            damage();
        varve_node *made = varve_add_allocated_variable(
            root, "b", VARVE_FLOAT32, VARVE_SHAPE(COUNT), NULL, NULL);
        cr_assert_eq(varve_state_of(made),
            is_damaged ? VARVE_PENDING : VARVE_RESTORED);
        cr_assert_eq(varve_graph_check(graph, &error),
            is_damaged ? VARVE_CORRUPT : VARVE_OK);
        cr_assert_eq(varve_restoration_passes(r), VARVE_ONE_PASS);
        varve_restoration_free(r);
    }
    end();
}

TEST(passes, are_part_of_the_report)
{
    begin();
    varve_restoration *r = story_read(root, "f", &unstaged);
    varve_report *report = varve_report_new(r, &error);
    cr_assert(strstr(varve_report_json(report, &error), "\"passes\":1,"));
    varve_report_free(report);
    varve_restoration_free(r);
    end();
    cr_assert_eq(varve_restoration_passes(NULL), VARVE_PASSES_AUTO);
}

/* --- What is half restored ------------------------------------------------ */

static void cannot_be_kept(void)
{
    cr_assert_eq(varve_write(root, test_path("other"), NULL, &error),
        VARVE_MISUSE);
    cr_assert(story_says(&error, "a: ") && story_is_one_line(&error), "%s",
        error.message);
    cr_assert_eq(
        varve_save(root, test_path("s"), NULL, &error), VARVE_MISUSE);
    cr_assert_null(varve_write_async(root, test_path("other"), NULL, &error));
    cr_assert_eq(error.status, VARVE_MISUSE);
    cr_assert_null(varve_snapshot_new(root, &error));
    cr_assert_eq(error.status, VARVE_MISUSE);
    cr_assert_null(varve_copy_subgraph(root, "copy", root, &error));
    cr_assert_eq(error.status, VARVE_MISUSE);
    cr_assert_ok(varve_graph_check(graph, &error), error);
}

TEST(half_restored, is_not_saved_before_a_complete_restore)
{
    begin();
    half_restore();
    cannot_be_kept();
    varve_restoration_free(story_read(root, "f", NULL));
    story_write(root, "other");
    end();
}

TEST(half_restored, remains_after_a_restoration_that_changes_nothing)
{
    begin();
    half_restore();
    damage();
    story_refused(root, "f", &unstaged, VARVE_CORRUPT, &error);
    damage();
    cannot_be_kept();
    varve_restoration_free(story_read(root, "f",
        &(varve_read_options){ .only = "b", .expect.unexpected = "**" }));
    cannot_be_kept();
    end();
}

TEST(half_restored, is_accepted_after_mark_dirty)
{
    begin();
    half_restore();
    fill(5);
    varve_mark_dirty(root);
    story_write(root, "other");
    end();
}

TEST(half_restored, is_undone_by_an_older_snapshot)
{
    varve_read_options options = unstaged;
    options.passes = VARVE_ONE_PASS;
    begin();
    varve_snapshot *snapshot = varve_snapshot_new(root, &error);
    damage();
    story_refused(root, "f", &options, VARVE_PARTIALLY_RESTORED, &error);
    cannot_be_kept();
    cr_assert_eq(varve_snapshot_retake(snapshot, &error), VARVE_MISUSE);
    cr_assert_ok(varve_snapshot_restore(snapshot, &error), error);
    cr_assert(a[0] == 1 && b[0] == 1);
    story_write(root, "other");
    cr_assert_ok(varve_snapshot_retake(snapshot, &error), error);
    varve_snapshot_free(snapshot);
    end();
}
