/* test_assertions.c - Tests the three assertions about a restoration. They
 * report the state at the time of the call with every path, and never abort.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

#include <stdio.h>

struct answers {
    varve_status consumed, existing, nontrivial;
};

static void ask(varve_restoration *r, struct answers wanted)
{
    varve_error error = { .message = "" };
    cr_assert_eq(varve_assert_consumed(r, &error), wanted.consumed, "%s",
        error.message);
    cr_assert_eq(varve_assert_existing_objects_matched(r, &error),
        wanted.existing, "%s", error.message);
    cr_assert_eq(varve_assert_nontrivial_match(r, &error), wanted.nontrivial,
        "%s", error.message);
}

#define YES VARVE_OK
#define NO VARVE_UNMATCHED

TEST(assertions, each_succeeds_only_if_its_condition_holds)
{
    STORY_FILE("f", { "a", 1 }, { "b/c", 2 });
    float a = 0, c = 0, d = 0;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_restoration *r = story_read(root, "f", NULL);
    ask(r, (struct answers){ NO, YES, NO });
    story_add(root, "a", &a);
    ask(r, (struct answers){ NO, YES, YES });
    story_add(root, "b/c", &c);
    ask(r, (struct answers){ YES, YES, YES });
    /* B34 */
    story_add(root, "d", &d);
    ask(r, (struct answers){ NO, NO, YES });
    varve_restoration_free(r);
    varve_graph_free(graph);
}

TEST(assertions, a_message_lists_and_counts_the_paths)
{
    varve_error error;
    STORY_FILE("f", { "a/x", 1 }, { "b/y", 2 }, { "c", 3 });
    float c = 0;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    story_add(root, "c", &c);
    varve_restoration *r = story_read(root, "f", NULL);
    story_unmatched(varve_assert_consumed(r, &error), "a/x", error);
    cr_assert(story_says(&error, "b/y"), "%s", error.message);
    cr_assert(story_says(&error, "2 of 3"), "%s", error.message);
    cr_assert(story_says(&error, test_path("f")), "%s", error.message);
    cr_assert_ok(varve_assert_nontrivial_match(r, NULL), error);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

TEST(assertions, a_too_long_list_is_truncated_with_a_note)
{
    enum { MANY = 1000 };
    varve_error error;
    static float v[MANY];
    varve_graph *graph = story_graph();
    for (int i = 0; i < MANY; i++) {
        char name[40];
        snprintf(name, sizeof name, "a_rather_long_name_%d", i);
        varve_add_variable(
            varve_graph_root(graph), name, varve_scalar(&v[i]));
    }
    story_write(varve_graph_root(graph), "f");
    varve_graph_free(graph);
    graph = story_graph();
    varve_restoration *r = story_read(varve_graph_root(graph), "f", NULL);
    story_unmatched(varve_assert_consumed(r, &error), "1000 of 1000", error);
    cr_assert(story_says(&error, "a_rather_long_name_0"));
    cr_assert_eq(story_findings(r, VARVE_FINDING_PENDING), MANY);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

/* B12, B16, B18 */
TEST(assertions, objects_without_values_are_ignored)
{
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    float v = 1;
    varve_add_list(root, "empty_in_file");
    story_object(root, "plain/in/file");
    story_add(root, "v", &v);
    story_write(root, "f");
    varve_graph_free(graph);
    graph = story_graph();
    root = varve_graph_root(graph);
    varve_add_list(root, "empty_in_program");
    varve_add_dict(root, "dict");
    story_object(root, "plain/in/program");
    story_add(root, "v", &v);
    varve_restoration *r = story_read(root, "f", NULL);
    ask(r, (struct answers){ YES, YES, YES });
    cr_assert_eq(varve_pending_count(r), 0);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

TEST(assertions, expect_patterns_apply_to_file_and_program)
{
    STORY_FILE("f", { "v", 1 }, { "optimizer/m", 2 }, { "optimizer/n", 2 });
    float v = 0, w = 0, x = 0;
    varve_read_options options = {
        .expect = { .unexpected = "/optimizer/**", .missing = "head|*/x" } };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    story_add(root, "v", &v);
    story_add(root, "head/w", &w);
    story_add(root, "body/x", &x);
    varve_restoration *r = story_read(root, "f", &options);
    ask(r, (struct answers){ YES, YES, YES });
    varve_error error;
    varve_report *report = varve_report_new(r, &error);
    varve_finding finding;
    cr_assert_eq(varve_report_count(report, VARVE_FINDING_MISSING), 2);
    cr_assert(varve_report_at(report, VARVE_FINDING_MISSING, 0, &finding));
    cr_assert(finding.expected);
    varve_report_free(report);
    varve_restoration_free(r);
    options = (varve_read_options){ .expect.missing = "head" };
    r = story_read(root, "f", &options);
    ask(r, (struct answers){ NO, NO, YES });
    story_unmatched(
        varve_assert_existing_objects_matched(r, &error), "body/x", error);
    cr_assert_not(story_says(&error, "head/w"), "%s", error.message);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

TEST(assertions, a_local_variable_is_neither_saved_nor_missing)
{
    varve_error error;
    float v = 1, scratch = 2;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    story_add(root, "v", &v);
    varve_tag(story_add(root, "scratch", &scratch), VARVE_TAG_LOCAL);
    story_write(root, "f");
    varve_reader *reader =
        varve_reader_open(test_path("f"), test_allocator(), &error);
    varve_saved_node node;
    cr_assert(varve_reader_find(reader, "scratch", &node), "it is shown");
    cr_assert_not(node.has_value);
    varve_reader_free(reader);
    v = scratch = 0;
    varve_restoration *r = story_read(root, "f", NULL);
    cr_assert_eq(v, 1);
    cr_assert_eq(scratch, 0);
    ask(r, (struct answers){ YES, YES, YES });
    varve_restoration_free(r);
    varve_graph_free(graph);

    STORY_FILE("g", { "v", 1 });
    graph = story_graph();
    root = varve_graph_root(graph);
    story_add(root, "v", &v);
    varve_tag(story_add(root, "scratch", &scratch), VARVE_TAG_LOCAL);
    r = story_read(root, "g", NULL);
    ask(r, (struct answers){ YES, YES, YES });
    varve_restoration_free(r);
    varve_graph_free(graph);
}

TEST(assertions, an_empty_program_and_an_empty_file)
{
    STORY_FILE("f", { NULL, 0 });
    varve_graph *graph = story_graph();
    varve_restoration *r = story_read(varve_graph_root(graph), "f", NULL);
    ask(r, (struct answers){ YES, YES, NO });
    varve_restoration_free(r);
    varve_graph_free(graph);
}

/* A failed read and an assertion about it in one expression: the message and
 * status of the read are kept. */
TEST(assertions, of_a_failed_read_keep_its_message)
{
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    const char *file = test_path("none.varve");
    varve_error error = { .status = VARVE_OK };
    varve_status status = varve_assert_consumed(
        varve_read(root, file, NULL, &error), &error);
    cr_assert_eq(status, VARVE_NOT_FOUND);
    cr_assert(story_says(&error, "none.varve"), "%s", error.message);
    status = varve_restoration_retry(
        varve_restore(root, file, NULL, &error), &error);
    cr_assert_eq(status, VARVE_NOT_FOUND);
    cr_assert_null(
        varve_report_new(varve_dry_run(root, file, NULL, &error), &error));
    cr_assert_eq(error.status, VARVE_NOT_FOUND);
    error.status = VARVE_OK;
    cr_assert_eq(varve_assert_consumed(NULL, &error), VARVE_MISUSE);
    cr_assert_eq(varve_assert_consumed(NULL, NULL), VARVE_MISUSE);
    varve_graph_free(graph);
}
