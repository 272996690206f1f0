/* test_several_restorations.c - Tests several open restorations: for every node
 * the newest one takes precedence, in any order of building, and older ones
 * count as satisfied there.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

TEST(several_restorations, the_latest_restoration_wins_for_later_variables)
{
    STORY_FILE("one", { "a", 1 }, { "b", 2 });
    STORY_FILE("two", { "a", 10 });
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_restoration *one = story_read(root, "one", NULL);
    varve_restoration *two = story_read(root, "two", NULL);
    float a = 0, b = 0;
    story_add(root, "b", &b);
    story_add(root, "a", &a);
    cr_assert_eq(a, 10);
    cr_assert_eq(b, 2, "the newer has none, so the older fills it");
    varve_error error;
    cr_assert_ok(varve_assert_existing_objects_matched(one, &error), error);
    story_consumed(one);
    cr_assert_eq(
        varve_assert_existing_objects_matched(two, &error), VARVE_UNMATCHED);
    varve_restoration_free(one);
    varve_restoration_free(two);
    varve_graph_free(graph);
}

TEST(several_restorations, values_of_the_newer_need_not_match_the_older)
{
    STORY_FILE("one", { "k/below", 1 });
    STORY_FILE("two", { "k", 10 });
    varve_error error;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_restoration *one = story_read(root, "one", NULL);
    varve_restoration *two = story_read(root, "two", NULL);
    float k = 0;
    story_add(root, "k", &k);
    cr_assert_eq(k, 10);
    cr_assert_ok(varve_graph_check(graph, &error), error);
    cr_assert_ok(varve_assert_existing_objects_matched(one, &error), error);
    story_consumed(two);
    varve_restoration_free(one);
    varve_restoration_free(two);
    varve_graph_free(graph);
}

TEST(several_restorations, freeing_the_newer_makes_the_older_provide_values)
{
    STORY_FILE("one", { "a", 1 });
    STORY_FILE("two", { "a", 10 });
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_restoration *one = story_read(root, "one", NULL);
    varve_restoration *two = story_read(root, "two", NULL);
    varve_restoration_free(two);
    float a = 0;
    story_add(root, "a", &a);
    cr_assert_eq(a, 1);
    varve_restoration_free(one);
    varve_graph_free(graph);
}

TEST(several_restorations, an_older_one_does_not_change_values_of_a_newer_one)
{
    STORY_FILE("one", { "x/a", 1 });
    STORY_FILE("two", { "a", 10 });
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    float a = 0;
    varve_restoration *one = story_read(root, "one", NULL);
    varve_node *x = varve_add_detached(graph);
    varve_node *node = varve_add_variable(x, "a", varve_scalar(&a));
    varve_restoration *two = story_read(x, "two", NULL);
    cr_assert_eq(a, 10);
    varve_track(root, "x", x);
    cr_assert_eq(a, 10, "the older claimed it back");
    cr_assert_eq(varve_state_of(node), VARVE_RESTORED);
    story_consumed(one);
    story_consumed(two);
    varve_restoration_free(one);
    varve_restoration_free(two);
    varve_graph_free(graph);
}

/* B8 */
TEST(several_restorations, of_two_pending_roots_the_later_wins)
{
    STORY_FILE("one", { "dep/v", 12 });
    STORY_FILE("two", { "dep/v", 13 });
    varve_graph *graph = story_graph();
    varve_node *first = varve_add_detached(graph);
    varve_node *second = varve_add_detached(graph);
    varve_restoration *one = story_read(first, "one", NULL);
    varve_restoration *two = story_read(second, "two", NULL);
    varve_node *dep = varve_add_detached(graph);
    float v = 0;
    varve_add_variable(dep, "v", varve_scalar(&v));
    varve_track(first, "dep", dep);
    cr_assert_eq(v, 12);
    varve_track(second, "dep", dep);
    cr_assert_eq(v, 13);
    story_consumed(one);
    story_consumed(two);
    varve_restoration_free(one);
    varve_restoration_free(two);
    varve_graph_free(graph);
}

/* B8, attached in the other order */
TEST(several_restorations, the_later_wins_whichever_root_is_attached_first)
{
    STORY_FILE("one", { "dep/v", 12 });
    STORY_FILE("two", { "dep/v", 13 });
    varve_graph *graph = story_graph();
    varve_node *first = varve_add_detached(graph);
    varve_node *second = varve_add_detached(graph);
    varve_restoration *one = story_read(first, "one", NULL);
    varve_restoration *two = story_read(second, "two", NULL);
    varve_node *dep = varve_add_detached(graph);
    float v = 0;
    varve_add_variable(dep, "v", varve_scalar(&v));
    varve_track(second, "dep", dep);
    cr_assert_eq(v, 13);
    varve_track(first, "dep", dep);
    cr_assert_eq(v, 13);
    story_consumed(one);
    story_consumed(two);
    varve_restoration_free(one);
    varve_restoration_free(two);
    varve_graph_free(graph);
}

static void write_with_slots(void)
{
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    float v = 11, m = 14, beta = 9;
    varve_node *variable = story_add(root, "v", &v);
    story_add(root, "optimizer/beta", &beta);
    varve_add_slot(
        varve_find(root, "optimizer"), variable, "m", varve_scalar(&m));
    story_write(root, "slots");
    varve_graph_free(graph);
}

/* S1, S2, S3 */
TEST(several_restorations, slots_of_the_older_and_the_variable_of_the_newer)
{
    write_with_slots();
    STORY_FILE("plain", { "v", 12 });
    varve_error error;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_restoration *slots = story_read(root, "slots", NULL);
    varve_restoration *plain = story_read(root, "plain", NULL);
    float v = 0, m = 0, beta = 0;
    varve_node *variable = story_add(root, "v", &v);
    cr_assert_eq(v, 12);
    story_consumed(plain);
    varve_node *adam = varve_add_object(root, "optimizer");
    cr_assert_ok(varve_assert_existing_objects_matched(slots, &error), error);
    cr_assert_eq(varve_assert_consumed(slots, &error), VARVE_UNMATCHED);
    varve_add_slot(adam, variable, "m", varve_scalar(&m));
    cr_assert_eq(m, 14);
    cr_assert_eq(v, 12);
    story_unmatched(
        varve_assert_consumed(slots, &error), "optimizer/beta", error);
    varve_add_variable(adam, "beta", varve_scalar(&beta));
    cr_assert_eq(beta, 9);
    story_consumed(slots);
    varve_restoration_free(slots);
    varve_restoration_free(plain);
    varve_graph_free(graph);
}

TEST(several_restorations, a_query_returns_the_newest_pending_value)
{
    float two[2] = { 0 };
    varve_graph *graph = story_graph();
    varve_add_variable(varve_graph_root(graph), "a", varve_array(two, 2));
    story_write(varve_graph_root(graph), "two");
    varve_graph_free(graph);
    STORY_FILE("one", { "a", 1 }, { "b", 1 });
    graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_restoration *first = story_read(root, "one", NULL);
    varve_restoration *second = story_read(root, "two", NULL);
    cr_assert_eq(varve_pending(root, "a")->rank, 1);
    cr_assert_eq(varve_pending(root, "b")->rank, 0);
    varve_restoration_free(second);
    cr_assert_eq(varve_pending(root, "a")->rank, 0);
    varve_restoration_free(first);
    cr_assert_null(varve_pending(root, "a"));
    varve_graph_free(graph);
}
