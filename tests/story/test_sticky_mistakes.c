/* test_sticky_mistakes.c - building needs no checks: nothing is ever NULL, the
 * first mistake is remembered, and the next call that can fail reports it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

TEST(sticky_mistakes, the_first_is_kept_and_the_rest_is_harmless)
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

TEST(sticky_mistakes, running_out_of_memory_is_one_of_them)
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
