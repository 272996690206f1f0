/* test_replaced_child.c - a child that takes the place of one that was
 * restored is restored in its turn, unless the restoration was freed.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

/* B52 */
TEST(replaced_child, is_restored_too_as_long_as_the_restoration_is_open)
{
    STORY_FILE("f", { "layer/w", 5 });
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    float old = 0, new = 0, last = 0;
    story_add(root, "layer/w", &old);
    varve_restoration *r = story_read(root, "f", NULL);
    cr_assert_eq(old, 5);
    old = 77;
    varve_node *layer = varve_add_detached(graph);
    varve_add_variable(layer, "w", varve_scalar(&new));
    varve_replace(root, "layer", layer);
    cr_assert_eq(new, 5);
    cr_assert_eq(old, 77, "the old one is no business of ours");
    story_consumed(r);
    varve_restoration_free(r);
    layer = varve_add_detached(graph);
    varve_add_variable(layer, "w", varve_scalar(&last));
    varve_replace(root, "layer", layer);
    cr_assert_eq(last, 0, "nothing waits once it is freed");
    varve_graph_free(graph);
}

TEST(replaced_child, a_variable_alone_again_and_again)
{
    STORY_FILE("f", { "w", 5 });
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    float w[4] = { 0 };
    varve_node *aside = varve_add_detached(graph);
    varve_restoration *r = story_read(root, "f", NULL);
    for (int i = 0; i < 4; i++) {
        char name[] = { (char)('a' + i), '\0' };
        varve_replace(root, "w",
            varve_add_variable(aside, name, varve_scalar(&w[i])));
        cr_assert_eq(w[i], 5);
        story_consumed(r);
    }
    varve_restoration_free(r);
    varve_graph_free(graph);
}

TEST(replaced_child, untracked_and_added_anew_or_removed_and_added_anew)
{
    STORY_FILE("f", { "w", 5 });
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    float w = 0;
    varve_restoration *r = story_read(root, "f", NULL);
    story_add(root, "w", &w);
    cr_assert_eq(w, 5);
    varve_untrack(root, "w");
    w = 1;
    varve_node *node = story_add(root, "w", &w);
    cr_assert_eq(w, 5);
    w = 2;
    varve_remove(node);
    cr_assert_eq(varve_pending_count(r), 1);
    story_add(root, "w", &w);
    cr_assert_eq(w, 5);
    story_consumed(r);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

/* What it has become since is worth more than what it was when saved. */
TEST(replaced_child, taken_out_and_put_back_it_keeps_what_it_has_become)
{
    STORY_FILE("f", { "w", 5 });
    varve_error error;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    float w = 0;
    varve_node *node = story_add(root, "w", &w);
    varve_restoration *r = story_read(root, "f", NULL);
    cr_assert_eq(w, 5);
    varve_track(varve_add_detached(graph), "w", node);
    varve_untrack(root, "w");
    story_unmatched(varve_assert_consumed(r, &error), "w", error);
    w = 6;
    varve_track(root, "w", node);
    cr_assert_eq(w, 6);
    story_consumed(r);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

TEST(replaced_child, its_slots_are_restored_with_it)
{
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    float v = 3, m = 4;
    varve_node *variable = story_add(root, "v", &v);
    varve_add_slot(varve_add_object(root, "adam"), variable, "m",
        varve_scalar(&m));
    story_write(root, "f");
    varve_restoration *r = story_read(root, "f", NULL);
    float v2 = 0, m2 = 0;
    varve_node *aside = varve_add_detached(graph);
    variable = varve_add_variable(aside, "v", varve_scalar(&v2));
    varve_replace(root, "v", variable);
    cr_assert_eq(v2, 3);
    varve_add_slot(
        varve_find(root, "adam"), variable, "m", varve_scalar(&m2));
    cr_assert_eq(m2, 4);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

/* B47, B48 */
TEST(replaced_child, the_rules_of_one_name)
{
    varve_error error;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *a = varve_add_object(root, "a");
    varve_node *b = varve_add_detached(graph);
    varve_track(root, "a", a);
    cr_assert_ok(varve_graph_check(graph, &error), error);
    cr_assert_eq(varve_edge_count(root), 1);
    varve_replace(root, "a", b);
    cr_assert_eq(varve_find(root, "a"), b);
    varve_untrack(root, "a");
    cr_assert_eq(varve_edge_count(root), 0);
    varve_track(root, "a", a);
    cr_assert_eq(varve_edge_count(root), 1);
    varve_track(root, "a", b);
    cr_assert_eq(varve_graph_check(graph, &error), VARVE_DUPLICATE);
    cr_assert_eq(varve_find(root, "a"), a);
    varve_graph_free(graph);
}
