/* test_plan_changes_nothing.c - Tests that a dry run reports what a read would
 * do, without reading a value or changing anything.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

#include <stdlib.h>

TEST(plan_changes_nothing, values_states_and_counters_are_unchanged)
{
    varve_error error;
    STORY_FILE("f", { "a", 1 }, { "b", 2 });
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    float a = 7, b[2] = { 8, 8 };
    varve_node *node = story_add(root, "a", &a);
    varve_restoration *r = varve_dry_run(root, test_path("f"), NULL, &error);
    cr_assert(r, "%s", error.message);
    varve_add_variable(root, "b", varve_array(b, 2));
    cr_assert_eq(a, 7);
    cr_assert_eq(b[0], 8);
    cr_assert_eq(varve_state_of(node), VARVE_INITIALIZED);
    cr_assert_ok(varve_graph_check(graph, &error), error);
    cr_assert_eq(varve_save_counter(root), 0);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

TEST(plan_changes_nothing, a_mismatch_is_a_finding_and_not_an_error)
{
    varve_error error;
    STORY_FILE("f", { "a", 1 });
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    double a = 7;
    varve_add_variable(root, "a", varve_scalar(&a));
    varve_restoration *r = varve_dry_run(root, test_path("f"), NULL, &error);
    cr_assert(r);
    cr_assert_eq(story_findings(r, VARVE_FINDING_MISMATCHED), 1);
    varve_restoration_free(r);
    varve_read_options options = { .cast = VARVE_CAST_WIDEN };
    r = varve_dry_run(root, test_path("f"), &options, &error);
    varve_report *report = varve_report_new(r, &error);
    varve_finding finding;
    cr_assert(varve_report_at(report, VARVE_FINDING_MATCHED, 0, &finding));
    cr_assert(finding.cast);
    cr_assert_eq(a, 7);
    varve_report_free(report);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

static void never(void *user, varve_node *node, const varve_offer *offer)
{
    (void)user;
    (void)node;
    (void)offer;
    cr_assert_fail("a dry run calls no callback");
}

static varve_status fill(const varve_tensor *tensor, void *user)
{
    ++*(int *)user;
    *(float *)tensor->data = 5;
    return VARVE_OK;
}

TEST(plan_changes_nothing, nothing_is_pending_or_allocated)
{
    varve_error error;
    STORY_FILE("f", { "a", 1 }, { "bag/x", 1 });
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_set_on_demand(varve_add_object(root, "bag"), never, NULL);
    varve_restoration *r = varve_dry_run(root, test_path("f"), NULL, &error);
    cr_assert(r);
    int runs = 0;
    varve_node *a = varve_add_allocated_variable(
        root, "a", VARVE_FLOAT32, VARVE_SCALAR, fill, &runs);
    cr_assert_eq(runs, 1);
    cr_assert_eq(*(float *)varve_data(a), 5);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

TEST(plan_changes_nothing, damaged_values_are_not_read)
{
    varve_error error;
    STORY_FILE("f", { "a", 1 });
    varve_reader *reader =
        varve_reader_open(test_path("f"), test_allocator(), &error);
    varve_saved_node node;
    cr_assert(varve_reader_find(reader, "a", &node));
    varve_reader_free(reader);
    size_t size;
    char *bytes = test_read_file(test_path("f"), &size);
    bytes[node.offset] ^= 1;
    test_write_file(test_path("f"), bytes, size);
    free(bytes);
    float a = 7;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    story_add(root, "a", &a);
    varve_restoration *r = varve_dry_run(root, test_path("f"), NULL, &error);
    cr_assert(r);
    varve_restoration_free(r);
    story_refused(root, "f", NULL, VARVE_CORRUPT, &error);
    cr_assert(story_says(&error, "a"), "%s", error.message);
    varve_graph_free(graph);
}
