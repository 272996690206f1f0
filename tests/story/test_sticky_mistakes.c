/* test_sticky_mistakes.c - Tests that building needs no checks: functions never
 * return NULL, the first error is kept, and the next call that can fail returns
 * it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

TEST(sticky_mistakes, the_first_error_is_kept_and_later_calls_do_nothing)
{
    varve_error error, again;
    float v = 1;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *variable = story_add(root, "model/v", &v);
    varve_node *nil = varve_add_object(variable, "child");
    cr_assert(nil);
    cr_assert_eq(varve_node_kind(nil), VARVE_NIL);
    varve_add_object(root, "");
    varve_node *deeper = varve_add_variable(
        varve_add_list(nil, "x"), VARVE_APPEND, varve_scalar(&v));
    cr_assert_eq(varve_node_kind(deeper), VARVE_NIL);
    cr_assert_null(varve_data(deeper));
    varve_add_slot(nil, variable, "m", varve_scalar(&v));
    varve_track(nil, "a", root);
    varve_untrack(nil, "a");
    varve_remove(nil);
    varve_alias(nil, "a");
    varve_tag(nil, "a");
    varve_list_append(nil, root);
    varve_rebind(nil, varve_scalar(&v));
    cr_assert_null(varve_find(nil, "a"));
    cr_assert_null(varve_edge_first(nil));
    cr_assert_eq(varve_graph_check(graph, &error), VARVE_MISUSE, "%s",
        error.message);
    cr_assert(story_says(&error, "model/v"), "%s", error.message);
    cr_assert_eq(
        varve_write(root, test_path("f"), NULL, &again), VARVE_MISUSE);
    cr_assert_str_eq(error.message, again.message);
    STORY_FILE("g", { "model/v", 5 });
    cr_assert_null(varve_read(root, test_path("g"), NULL, &again));
    cr_assert_str_eq(error.message, again.message);
    cr_assert_null(varve_snapshot_new(root, &again));
    cr_assert_eq(v, 1);
    varve_graph_free(graph);
}

TEST(sticky_mistakes, a_failed_allocation_is_sticky)
{
    varve_error error;
    for (long n = 0; n < 200; n++) {
        float v = 1;
        test_fail_allocation(n, true);
        varve_graph *graph = story_graph();
        varve_node *root = varve_graph_root(graph);
        cr_assert(root);
        varve_add_slot(varve_add_object(root, "adam"),
            story_add(root, "model/v", &v), "m", varve_scalar(&v));
        varve_add_variable(
            varve_add_list(root, "l"), VARVE_APPEND, varve_scalar(&v));
        bool failed = test_allocation_count() > n;
        varve_status status = varve_graph_check(graph, &error);
        test_fail_allocation(-1, false);
        cr_assert_eq(status, failed ? VARVE_NO_MEMORY : VARVE_OK);
        varve_graph_free(graph);
        if (!failed)
            return;
    }
    cr_assert_fail("it never succeeded");
}

TEST(sticky_mistakes, an_error_can_be_cleared_by_the_program)
{
    varve_error error;
    float v = 1, w = 2;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    story_add(root, "v", &v);
    varve_node *nil = varve_add_variable(root, "v", varve_scalar(&w));
    varve_untrack(root, "second");
    cr_assert_eq(varve_write(root, test_path("f"), NULL, NULL),
        VARVE_DUPLICATE);
    cr_assert_eq(varve_graph_clear_error(graph, &error), VARVE_DUPLICATE);
    cr_assert(error.status == VARVE_DUPLICATE && story_says(&error, "\"v\""));
    cr_assert_eq(varve_graph_clear_error(graph, &error), VARVE_OK);
    story_write(root, "f");
    varve_restoration_free(story_read(root, "f", NULL));
    /* A node that was not created still does not exist. */
    varve_track(root, "w", nil);
    cr_assert_eq(varve_graph_clear_error(graph, &error), VARVE_MISUSE);
    varve_add_object(nil, "child");
    cr_assert_eq(varve_graph_clear_error(graph, &error), VARVE_MISUSE);
    cr_assert(story_says(&error, "the node could not be created"), "%s",
        error.message);
    cr_assert_eq(varve_write(nil, test_path("g"), NULL, &error), VARVE_MISUSE);
    cr_assert_eq(varve_each(nil, NULL, NULL, NULL, &error), VARVE_MISUSE);
    cr_assert_null(varve_copy_subgraph(root, "copy", nil, &error));
    cr_assert_eq(varve_graph_clear_error(graph, NULL), VARVE_OK);
    cr_assert_ok(varve_graph_check(graph, &error), error);
    varve_graph_free(graph);
}

TEST(sticky_mistakes, an_undelivered_value_is_not_cleared)
{
    varve_error error;
    float v[2] = { 1, 2 };
    STORY_FILE("f", { "v", 5 });
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_restoration *r = story_read(root, "f", NULL);
    varve_add_variable(root, "v", varve_array(v, 2));
    cr_assert_eq(varve_graph_clear_error(graph, &error), VARVE_OK);
    cr_assert_eq(varve_graph_check(graph, &error), VARVE_MISMATCH);
    varve_untrack(root, "none");
    cr_assert_eq(varve_graph_check(graph, &error), VARVE_NOT_FOUND);
    cr_assert_eq(varve_graph_clear_error(graph, &error), VARVE_NOT_FOUND);
    cr_assert_eq(varve_write(root, test_path("g"), NULL, &error),
        VARVE_MISMATCH);
    varve_restoration_free(r);
    cr_assert_ok(varve_graph_check(graph, &error), error);
    varve_graph_free(graph);
}

static varve_status refuse(const varve_tensor *tensor, void *user)
{
    (void)tensor;
    return *(int *)user ? VARVE_IO : VARVE_OK;
}

/* A variable whose initializer failed has no value until it is given one, but
 * it always has memory. */
TEST(sticky_mistakes, a_variable_without_a_value_can_be_set_later)
{
    for (int without_memory = 0; without_memory < 2; without_memory++) {
        varve_error error;
        int refuses = !without_memory;
        varve_graph *graph = story_graph();
        varve_node *root = varve_graph_root(graph);
        varve_add_object(root, "warm"); /* pools are allocated */
        varve_add_allocated_variable(
            root, "first", VARVE_FLOAT32, VARVE_SHAPE(4), NULL, NULL);
        varve_alias(varve_find(root, "first"), "v");
        test_fail_allocation(without_memory ? 0 : -1, false);
        varve_node *v = varve_add_allocated_variable(
            root, "v", VARVE_FLOAT32, VARVE_SHAPE(4), refuse, &refuses);
        test_fail_allocation(-1, false);
        varve_status wanted = without_memory ? VARVE_NO_MEMORY : VARVE_CALLBACK;
        test_fail_allocation(without_memory ? 0 : -1, false);
        for (int i = 0; i < 1 + without_memory; i++)
            cr_assert_eq(varve_graph_clear_error(graph, &error), wanted);
        cr_assert_eq(varve_graph_clear_error(graph, &error), VARVE_OK);
        cr_assert_eq(varve_state_of(v), VARVE_DECLARED);
        cr_assert_not_null(varve_data(v));
        story_write(root, "f");
        varve_snapshot *s = varve_snapshot_new(root, &error);
        cr_assert(s, "%s", error.message);
        cr_assert_ok(varve_snapshot_restore(s, &error), error);
        varve_snapshot_free(s);
        varve_restoration_free(story_read(root, "f", NULL));
        cr_assert_eq(
            varve_require_ready(root, NULL, &error), VARVE_UNMATCHED);
        refuses = 0;
        cr_assert_ok(varve_initialize(root, NULL, &error), error);
        cr_assert_ok(varve_require_ready(root, NULL, &error), error);
        varve_graph_free(graph);
    }
}
