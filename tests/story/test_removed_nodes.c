/* test_removed_nodes.c - the program may shrink while restorations are open:
 * nothing is written to what is gone, and what comes anew is restored.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

TEST(removed_nodes, at_any_point_of_a_deferred_restore)
{
    STORY_FILE("f", { "a/b/v", 1 }, { "a/w", 2 }, { "x", 3 });
    varve_error error;
    for (int point = 0; point < 4; point++) {
        float v = 0, w = 0, x = 0;
        varve_graph *graph = story_graph();
        varve_node *root = varve_graph_root(graph);
        varve_restoration *r = story_read(root, "f", NULL);
        story_object(root, "a/b");
        if (point > 0)
            story_add(root, "a/b/v", &v);
        if (point > 1)
            story_add(root, "a/w", &w);
        if (point > 2)
            story_add(root, "x", &x);
        varve_remove(varve_find(root, "a"));
        cr_assert_null(varve_find(root, "a"));
        v = w = 0;
        cr_assert_eq(varve_pending_count(r), point > 2 ? 2 : 3);
        varve_report_free(varve_report_new(r, &error));
        story_add(root, "a/b/v", &v);
        story_add(root, "a/w", &w);
        if (point < 3)
            story_add(root, "x", &x);
        cr_assert_eq(v, 1);
        cr_assert_eq(w, 2);
        cr_assert_eq(x, 3);
        story_consumed(r);
        varve_restoration_free(r);
        varve_graph_free(graph);
    }
}

TEST(removed_nodes, with_slots_states_of_failure_and_two_restorations)
{
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    float v = 1, m = 2;
    varve_node *variable = story_add(root, "v", &v);
    varve_add_slot(
        varve_add_object(root, "adam"), variable, "m", varve_scalar(&m));
    story_write(root, "f");
    varve_restoration *one = story_read(root, "f", NULL);
    varve_restoration *two = story_read(root, "f", NULL);
    varve_remove(variable);
    cr_assert_null(varve_slot_first(varve_find(root, "adam")));
    float v2[2] = { 0 }, v3 = 0, m3 = 0;
    varve_node *wrong = varve_add_variable(root, "v", varve_array(v2, 2));
    varve_error error;
    cr_assert_eq(varve_graph_check(graph, &error), VARVE_MISMATCH);
    varve_remove(wrong);
    variable = story_add(root, "v", &v3);
    varve_add_slot(
        varve_find(root, "adam"), variable, "m", varve_scalar(&m3));
    cr_assert_eq(v3, 1);
    cr_assert_eq(m3, 2);
    cr_assert_eq(v2[0], 0);
    varve_restoration_free(two);
    varve_restoration_free(one);
    varve_graph_free(graph);
}
