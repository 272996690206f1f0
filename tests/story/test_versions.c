/* test_versions.c - Tests that a program that has grown or shrunk since a file
 * was written can declare this at its nodes, for all assertions.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

static varve_restoration *plan(varve_node *root, const char *name)
{
    varve_error error = { 0 };
    varve_restoration *r = varve_dry_run(root, test_path(name), NULL, &error);
    cr_assert_not_null(r, "%s", error.message);
    return r;
}

static void assert_all_hold(varve_restoration *r)
{
    varve_error error = { 0 };
    story_consumed(r);
    cr_assert_ok(varve_assert_existing_objects_matched(r, &error), error);
    cr_assert_ok(varve_assert_nontrivial_match(r, &error), error);
}

TEST(versions, variables_added_later_keep_their_values)
{
    STORY_FILE("f", { "w", 4 });
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    float w = 0, rate = 0.5f;
    story_add(root, "w", &w);
    varve_tag(story_add(root, "rate", &rate), VARVE_TAG_LATER);
    varve_restoration *r = story_read(root, "f", NULL);
    cr_assert_eq(w, 4);
    cr_assert_eq(rate, 0.5f);
    assert_all_hold(r);
    varve_report *report = varve_report_new(r, NULL);
    varve_finding finding;
    cr_assert(varve_report_at(report, VARVE_FINDING_MISSING, 0, &finding));
    cr_assert(finding.expected);
    cr_assert_str_eq(finding.program_path, "rate");
    cr_assert_str_eq(finding.reason, "tagged `later`");
    varve_report_free(report);
    varve_restoration_free(r);
    r = plan(root, "f");
    story_consumed(r);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

TEST(versions, variables_added_later_are_read_if_saved_and_must_match)
{
    STORY_FILE("f", { "w", 4 }, { "rate", 3 });
    varve_error error = { 0 };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    float w = 0, rate = 0.5f;
    double wide = 1;
    story_add(root, "w", &w);
    varve_tag(story_add(root, "rate", &rate), VARVE_TAG_LATER);
    varve_restoration_free(story_read(root, "f", NULL));
    cr_assert_eq(rate, 3);
    varve_untrack(root, "rate");
    varve_tag(varve_add_variable(root, "rate", varve_scalar(&wide)),
        VARVE_TAG_LATER);
    story_refused(root, "f", NULL, VARVE_MISMATCH, &error);
    varve_graph_free(graph);
}

TEST(versions, a_retired_name_with_its_subtree_and_slots_is_expected)
{
    STORY_FILE("new", { "w", 4 });
    varve_error error = { 0 };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    float v[4] = { 1, 2, 3, 4 };
    varve_node *gone = story_add(root, "old/deep/gone", &v[0]);
    varve_add_slot(varve_add_object(root, "adam"), gone, "m",
        varve_scalar(&v[1]));
    story_add(root, "w", &v[2]);
    story_add(root, "other", &v[3]);
    story_write(root, "f");
    varve_graph_free(graph);

    graph = story_graph();
    root = varve_graph_root(graph);
    varve_add_object(root, "adam");
    story_add(root, "w", &v[0]);
    story_add(root, "other", &v[1]);
    varve_restoration *r = story_read(root, "f", NULL);
    story_unmatched(varve_assert_consumed(r, &error), "old/deep/gone", error);
    varve_retire(root, "old");
    assert_all_hold(r);
    varve_report *report = varve_report_new(r, NULL);
    varve_finding finding;
    cr_assert_eq(varve_report_count(report, VARVE_FINDING_PENDING), 0);
    cr_assert_eq(varve_report_count(report, VARVE_FINDING_UNEXPECTED), 2);
    cr_assert(varve_report_at(report, VARVE_FINDING_UNEXPECTED, 0, &finding));
    cr_assert(finding.expected);
    cr_assert_null(finding.nearest);
    cr_assert_str_eq(finding.reason, "the program has retired this name");
    varve_report_free(report);
    varve_restoration_free(r);
    r = plan(root, "f");
    story_consumed(r);
    varve_restoration_free(r);
    /* Elsewhere the name has no meaning, and a file without it is accepted. */
    varve_untrack(root, "other");
    varve_retire(varve_find(root, "adam"), "other");
    r = story_read(root, "f", NULL);
    story_unmatched(varve_assert_consumed(r, &error), "other", error);
    varve_restoration_free(r);
    r = story_read(root, "new", NULL);
    story_consumed(r);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

TEST(versions, a_reused_retired_name_is_matched_as_usual)
{
    STORY_FILE("f", { "w", 4 }, { "again", 3 });
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    float w = 0, again = 0;
    story_add(root, "w", &w);
    varve_retire(root, "again");
    varve_restoration *r = story_read(root, "f", NULL);
    story_consumed(r);
    story_add(root, "again", &again);
    cr_assert_eq(again, 3);
    assert_all_hold(r);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

/* The declarations of both sides and the patterns of a read are combined. */
TEST(versions, patterns_of_a_read_still_apply)
{
    STORY_FILE("f", { "w", 4 }, { "gone", 3 }, { "extra", 2 });
    varve_error error = { 0 };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    float v[3] = { 0 };
    varve_read_options options = { .expect.unexpected = "extra" };
    story_add(root, "w", &v[0]);
    varve_tag(story_add(root, "later", &v[1]), VARVE_TAG_LATER);
    varve_node *lost = story_add(root, "lost", &v[2]);
    varve_retire(root, "gone");
    varve_restoration *r = story_read(root, "f", &options);
    story_unmatched(varve_assert_consumed(r, &error), "lost", error);
    cr_assert(!story_says(&error, "later") && !story_says(&error, "gone") &&
              !story_says(&error, "extra"));
    varve_restoration_free(r);
    options.expect.missing = "lost";
    r = story_read(root, "f", &options);
    assert_all_hold(r);
    varve_restoration_free(r);
    varve_remove(lost);
    options.expect.missing = NULL;
    r = story_read(root, "f", &options);
    assert_all_hold(r);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

#ifdef IS_WHOLE
TEST(versions, a_saver_reads_an_older_file_without_newer_variables)
{
    varve_error error = { 0 };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    float v[2] = { 4, 2 };
    varve_node *w = story_add(root, "w", &v[0]);
    varve_saver *saver = varve_saver_new(graph, NULL, &error);
    cr_assert_ok(varve_saver_add(saver, "w", w, &error), error);
    cr_assert_ok(
        varve_saver_save(saver, test_path("s"), NULL, &error), error);
    varve_node *more = story_add(root, "more", &v[1]);
    cr_assert_ok(varve_saver_add(saver, "more", more, &error), error);
    v[0] = 0;
    cr_assert_eq(varve_saver_restore(saver, test_path("s"), NULL, NULL, &error),
        VARVE_UNMATCHED);
    varve_tag(more, VARVE_TAG_LATER);
    cr_assert_ok(
        varve_saver_restore(saver, test_path("s"), NULL, NULL, &error), error);
    cr_assert_eq(v[0], 4);
    cr_assert_eq(v[1], 2);
    varve_saver_free(saver);
    varve_graph_free(graph);
}
#endif
