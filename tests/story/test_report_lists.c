/* test_report_lists.c - Tests the lists of a report: each entry has both paths,
 * type, shape, size and a reason; suggestions are names among siblings, or of
 * equal type and shape.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

#include <string.h>

static varve_finding only_one(
    const varve_report *report, varve_finding_kind kind)
{
    varve_finding finding = { .kind = VARVE_FINDING_MATCHED };
    cr_assert_eq(varve_report_count(report, kind), 1, "list %d:\n%s",
        (int)kind, varve_report_text(report));
    cr_assert(varve_report_at(report, kind, 0, &finding));
    cr_assert_not(varve_report_at(report, kind, 1, &finding));
    cr_assert(varve_report_at(report, kind, 0, &finding));
    cr_assert_eq(finding.kind, kind);
    return finding;
}

/* Creates a file and a program with one entry for each list of a dry run. */
static varve_report *plan_report(varve_graph *graph, varve_restoration **r)
{
    static float v[8];
    varve_graph *old = story_graph();
    varve_node *root = varve_graph_root(old);
    varve_add_variable(root, "same", varve_array(COPY_OF(v), 2, 3));
    varve_add_variable(story_object(root, "encoder"), "kernel",
        varve_array(COPY_OF(v), 4));
    varve_add_variable(root, "shape", varve_array(COPY_OF(v), 5));
    story_write(root, "f");
    varve_graph_free(old);
    root = varve_graph_root(graph);
    varve_add_variable(root, "same", varve_array(COPY_OF(v), 2, 3));
    varve_add_variable(root, "shape", varve_array(COPY_OF(v), 6));
    varve_add_variable(story_object(root, "encodr"), "kernel",
        varve_array(COPY_OF(v), 4));
    varve_error error;
    *r = varve_dry_run(root, test_path("f"), NULL, &error);
    cr_assert(*r, "%s", error.message);
    varve_report *report = varve_report_new(*r, &error);
    cr_assert(report, "%s", error.message);
    return report;
}

TEST(report_lists, entries_have_paths_types_sizes_and_reasons)
{
    varve_graph *graph = story_graph();
    varve_restoration *r;
    varve_report *report = plan_report(graph, &r);
    varve_finding f = only_one(report, VARVE_FINDING_MATCHED);
    cr_assert_str_eq(f.program_path, "same");
    cr_assert_str_eq(f.file_path, "same");
    cr_assert_eq(f.saved.dtype, VARVE_FLOAT32);
    cr_assert_eq(f.saved.rank, 2);
    cr_assert_eq(f.wanted.shape[1], 3);
    cr_assert_eq(f.size, 24);
    cr_assert_gt(f.offset, 0);
    cr_assert_str_eq(f.reason, "");
    f = only_one(
        report, VARVE_FINDING_UNEXPECTED); /* in a dry run nothing is pending */
    cr_assert_str_eq(f.file_path, "encoder/kernel");
    cr_assert_null(f.program_path);
    cr_assert_eq(f.size, 16);
    cr_assert_eq(f.saved.shape[0], 4);
    cr_assert(strstr(f.reason, "encoder"), "%s", f.reason);
    cr_assert(f.nearest && strstr(f.nearest, "encodr"), "%s", f.nearest);
    f = only_one(report, VARVE_FINDING_MISSING);
    cr_assert_str_eq(f.program_path, "encodr/kernel");
    cr_assert_null(f.file_path);
    cr_assert_eq(f.wanted.shape[0], 4);
    cr_assert(f.reason[0]);
    f = only_one(report, VARVE_FINDING_MISMATCHED);
    cr_assert_str_eq(f.program_path, "shape");
    cr_assert_str_eq(f.file_path, "shape");
    cr_assert_eq(f.saved.shape[0], 5);
    cr_assert_eq(f.wanted.shape[0], 6);
    cr_assert(f.reason[0]);
    varve_report_free(report);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

TEST(report_lists, the_text_lists_unmatched_values_only)
{
    varve_graph *graph = story_graph();
    varve_restoration *r;
    varve_report *report = plan_report(graph, &r);
    const char *text = varve_report_text(report);
    cr_assert(strstr(text, "encoder/kernel"), "%s", text);
    cr_assert(strstr(text, "encodr/kernel"), "%s", text);
    cr_assert(strstr(text, "float32[5]"), "%s", text);
    cr_assert(strstr(text, "float32[6]"), "%s", text);
    cr_assert_null(strstr(text, "same"), "%s", text);
    cr_assert_eq(text[strlen(text) - 1], '\n');
    varve_report_free(report);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

TEST(report_lists, only_in_file_lists_values_that_are_not_pending)
{
    STORY_FILE("f", { "a", 1 }, { "b", 2 });
    varve_error error;
    varve_graph *graph = story_graph();
    varve_restoration *r = story_read(varve_graph_root(graph), "f", NULL);
    cr_assert_eq(story_findings(r, VARVE_FINDING_PENDING), 2);
    cr_assert_ok(varve_drop_pending(r, "a", &error), error);
    varve_report *report = varve_report_new(r, &error);
    cr_assert_str_eq(only_one(report, VARVE_FINDING_PENDING).file_path, "b");
    varve_finding finding = only_one(report, VARVE_FINDING_UNEXPECTED);
    cr_assert_str_eq(finding.file_path, "a");
    cr_assert(finding.expected);
    varve_report_free(report);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

TEST(report_lists, the_nearest_path_is_found_by_type_and_shape)
{
    float v[6] = { 0 };
    varve_graph *graph = story_graph();
    varve_add_variable(
        varve_graph_root(graph), "zebra", varve_array(COPY_OF(v), 2, 3));
    varve_add_variable(
        varve_graph_root(graph), "other", varve_array(COPY_OF(v), 2));
    story_write(varve_graph_root(graph), "f");
    varve_graph_free(graph);
    graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_add_variable(root, "weight", varve_array(COPY_OF(v), 2, 3));
    varve_add_variable(root, "other", varve_array(COPY_OF(v), 2));
    varve_error error;
    varve_restoration *r = story_read(root, "f", NULL);
    varve_report *report = varve_report_new(r, &error);
    varve_finding finding = only_one(report, VARVE_FINDING_PENDING);
    cr_assert(finding.nearest);
    cr_assert(strstr(finding.nearest, "weight"), "%s", finding.nearest);
    varve_report_free(report);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

TEST(report_lists, a_report_is_a_snapshot_and_outlives_the_restoration)
{
    STORY_FILE("f", { "a", 1 });
    varve_error error;
    varve_graph *graph = story_graph();
    varve_restoration *r = story_read(varve_graph_root(graph), "f", NULL);
    varve_report *report = varve_report_new(r, &error);
    float a = 0;
    story_add(varve_graph_root(graph), "a", &a);
    cr_assert_eq(varve_report_count(report, VARVE_FINDING_PENDING), 1);
    cr_assert_eq(story_findings(r, VARVE_FINDING_PENDING), 0);
    cr_assert_eq(story_findings(r, VARVE_FINDING_MATCHED), 1);
    varve_restoration_free(r);
    varve_graph_free(graph);
    cr_assert_str_eq(only_one(report, VARVE_FINDING_PENDING).file_path, "a");
    varve_report_free(report);
}

/* One object of the file cannot be two of the program. */
TEST(report_lists, a_second_claim_is_not_reported_as_missing)
{
    float w = 8;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    story_add(root, "first/w", &w);
    varve_track(root, "second", varve_find(root, "first"));
    story_write(root, "f");
    varve_graph_free(graph);
    graph = story_graph();
    root = varve_graph_root(graph);
    float first = 0, second = 0;
    story_add(root, "first/w", &first);
    story_add(root, "second/w", &second);
    varve_error error;
    varve_restoration *r = story_read(root, "f", NULL);
    varve_report *report = varve_report_new(r, &error);
    varve_finding finding = only_one(report, VARVE_FINDING_MISMATCHED);
    cr_assert_str_eq(finding.program_path, "second/w");
    cr_assert_str_eq(
        finding.reason, "shared in the file with first/w, which was restored "
            "from it");
    cr_assert_null(finding.nearest);
    varve_report_free(report);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

TEST(report_lists, a_rename_to_a_missing_path_is_given_as_the_reason)
{
    STORY_FILE("f", { "a", 1 });
    float a = 0;
    varve_graph *graph = story_graph();
    story_add(varve_graph_root(graph), "a", &a);
    varve_rename rename = { "a", "nowhere" };
    varve_error error;
    varve_restoration *r = story_read(varve_graph_root(graph), "f",
        &(varve_read_options){ .expect.missing = "a",
            .rename = { .list = &rename, .count = 1 } });
    varve_report *report = varve_report_new(r, &error);
    varve_finding finding = only_one(report, VARVE_FINDING_PENDING);
    cr_assert_str_eq(
        finding.reason, "the rename \"a -> nowhere\" maps it to another path");
    cr_assert_null(finding.nearest);
    finding = only_one(report, VARVE_FINDING_MISSING);
    cr_assert_str_eq(
        finding.reason, "the rename \"a -> nowhere\" maps it to another path");
    cr_assert_null(finding.nearest);
    varve_report_free(report);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

/* A requested copy is listed, although the variable is local. */
TEST(report_lists, a_dry_run_shows_a_copy_refused_for_a_local_variable)
{
    STORY_FILE("f", { "a", 1 });
    varve_error error;
    varve_rename rename = { "b", "a" };
    varve_read_options options = { .rename = { .list = &rename, .count = 1 } };
    float a = 0, b[2] = { 0 };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    story_add(root, "a", &a);
    varve_tag(
        varve_add_variable(root, "b", varve_array(b, 2)), VARVE_TAG_LOCAL);
    varve_restoration *r =
        varve_dry_run(root, test_path("f"), &options, &error);
    cr_assert(r, "%s", error.message);
    cr_assert_eq(story_findings(r, VARVE_FINDING_MISMATCHED), 1);
    varve_restoration_free(r);
    story_refused(root, "f", &options, VARVE_MISMATCH, &error);
    varve_graph_free(graph);
}

/* A missing value of a local variable is accepted, but a mismatch is not. */
TEST(report_lists, a_dry_run_shows_a_local_variable_that_fails_a_read)
{
    STORY_FILE("f", { "k/below", 1 });
    varve_error error;
    float k = 0;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_tag(story_add(root, "k", &k), VARVE_TAG_LOCAL);
    varve_restoration *r = varve_dry_run(root, test_path("f"), NULL, &error);
    cr_assert(r, "%s", error.message);
    cr_assert_eq(story_findings(r, VARVE_FINDING_MISMATCHED), 1);
    cr_assert_ok(varve_assert_existing_objects_matched(r, &error), error);
    varve_restoration_free(r);
    story_refused(root, "f", NULL, VARVE_MISMATCH, &error);
    varve_graph_free(graph);
}
