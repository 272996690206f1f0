/* test_dropping_pending.c - Tests that pending values can be dropped, by path
 * or all of them; freeing the restoration drops the rest.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

TEST(dropping_pending, drops_saved_paths_that_match_a_pattern)
{
    STORY_FILE("f", { "a/x", 1 }, { "a/y", 2 }, { "b", 3 });
    varve_error error;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_restoration *r = story_read(root, "f", NULL);
    cr_assert_ok(varve_drop_pending(r, "a/x", &error), error);
    cr_assert_eq(varve_pending_count(r), 2);
    float x = 9, y = 9, b = 9;
    varve_node *a = story_object(root, "a");
    cr_assert_null(varve_pending(a, "x"));
    cr_assert(varve_pending(a, "y"));
    story_add(root, "a/x", &x);
    story_add(root, "a/y", &y);
    cr_assert_eq(x, 9);
    cr_assert_eq(y, 2);
    story_unmatched(varve_assert_consumed(r, &error), "b", error);
    cr_assert_not(story_says(&error, "a/x  "), "%s", error.message);
    story_add(root, "b", &b);
    cr_assert_eq(b, 3);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

TEST(dropping_pending, drops_an_object_mismatched_with_a_variable)
{
    STORY_FILE("f", { "a/x", 1 }, { "b", 2 });
    varve_error error;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_restoration *r = story_read(root, "f", NULL);
    float a = 9;
    story_add(root, "a", &a);
    cr_assert_eq(varve_graph_check(graph, &error), VARVE_MISMATCH);
    cr_assert_ok(varve_drop_pending(r, "b", &error), error);
    cr_assert_eq(varve_graph_check(graph, &error), VARVE_MISMATCH);
    cr_assert_ok(varve_drop_pending(r, "a", &error), error);
    cr_assert_ok(varve_graph_check(graph, &error), error);
    cr_assert_eq(a, 9);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

static varve_node *add_unfit(varve_node *root, float *a)
{
    varve_node *node = story_add(root, "a", a);
    cr_assert_eq(
        varve_graph_check(varve_node_graph(root), NULL), VARVE_MISMATCH);
    return node;
}

TEST(dropping_pending, a_dropped_object_is_not_reported_again)
{
    STORY_FILE("f", { "a/x", 1 }, { "b", 2 });
    varve_error error;
    varve_read_options options = { .except = "again" };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_restoration *r = story_read(root, "f", &options);
    float a = 9, other = 9;
    varve_node *node = add_unfit(root, &a);
    cr_assert_ok(varve_drop_pending(r, "a", &error), error);
    varve_track(root, "again", node);
    cr_assert_ok(varve_graph_check(graph, &error), error);
    cr_assert_ok(varve_restoration_retry(r, &error), error);
    varve_untrack(root, "again");
    varve_untrack(root, "a");
    story_add(root, "a", &other);
    cr_assert_ok(varve_graph_check(graph, &error), error);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

TEST(dropping_pending, a_dropped_object_is_reported_when_restored_again)
{
    STORY_FILE("f", { "a/x", 1 }, { "b", 2 });
    varve_error error;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_restoration *r = story_read(root, "f", NULL);
    float a = 9, b = 0;
    varve_node *node = add_unfit(root, &a);
    story_add(root, "b", &b);
    cr_assert_ok(varve_drop_pending(r, NULL, &error), error);
    cr_assert_eq(varve_restore_again(r, root, &error), VARVE_MISMATCH);
    cr_assert(story_says(&error, "a: saved an object"), "%s", error.message);
    cr_assert(story_says(&error, "options `except`"), "%s", error.message);
    cr_assert_not(story_says(&error, "`cast`"), "no option converts it");
    cr_assert_ok(varve_graph_check(graph, &error), error);
    cr_assert_ok(varve_restoration_retry(r, &error), error);
    varve_remove(node);
    varve_node *object = story_object(root, "a");
    cr_assert_ok(varve_restore_again(r, object, &error), error);
    varve_remove(object);
    story_add(root, "a", &a);
    cr_assert_ok(varve_graph_check(graph, &error), error);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

/* B4 */
TEST(dropping_pending, dropping_all_makes_the_rest_of_the_file_expected)
{
    STORY_FILE("f", { "a", 1 }, { "b/c", 2 });
    varve_error error;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    float a = 0, c = 9;
    story_add(root, "a", &a);
    varve_restoration *r = story_read(root, "f", NULL);
    cr_assert_eq(varve_assert_consumed(r, &error), VARVE_UNMATCHED);
    cr_assert_ok(varve_drop_pending(r, NULL, &error), error);
    cr_assert_eq(varve_pending_count(r), 0);
    story_consumed(r);
    story_add(root, "b/c", &c);
    cr_assert_eq(c, 9);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

TEST(dropping_pending,
    an_older_restoration_provides_values_dropped_by_the_newer)
{
    STORY_FILE("one", { "a", 1 });
    STORY_FILE("two", { "a", 2 });
    varve_error error;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_restoration *one = story_read(root, "one", NULL);
    varve_restoration *two = story_read(root, "two", NULL);
    cr_assert_ok(varve_drop_pending(two, "a", &error), error);
    float a = 0;
    story_add(root, "a", &a);
    cr_assert_eq(a, 1);
    varve_restoration_free(one);
    varve_restoration_free(two);
    varve_graph_free(graph);
}

TEST(dropping_pending, freeing_drops_pending_values_and_keeps_restored_ones)
{
    STORY_FILE("f", { "a", 1 }, { "b", 2 });
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    float a = 0, b = 9;
    story_add(root, "a", &a);
    varve_restoration *r = story_read(root, "f", NULL);
    varve_restoration_free(r);
    varve_restoration_free(NULL);
    cr_assert_null(varve_pending(root, "b"));
    story_add(root, "b", &b);
    cr_assert_eq(a, 1);
    cr_assert_eq(b, 9);
    varve_graph_free(graph);
}

static varve_status put_seven(const varve_tensor *tensor, void *user)
{
    (void)user;
    *(float *)tensor->data = 7;
    return VARVE_OK;
}

TEST(dropping_pending, freeing_initializes_variables_of_dropped_values)
{
    STORY_FILE("f", { "a", 1 });
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_restoration *r = story_read(root, "f", NULL);
    varve_node *a = varve_add_allocated_variable(
        root, "a", VARVE_FLOAT32, VARVE_SHAPE(2), put_seven, NULL);
    cr_assert_eq(varve_state_of(a), VARVE_PENDING);
    cr_assert_eq(varve_graph_check(graph, NULL), VARVE_MISMATCH);
    varve_restoration_free(r);
    cr_assert_eq(varve_graph_check(graph, NULL), VARVE_OK);
    cr_assert_eq(varve_state_of(a), VARVE_INITIALIZED);
    cr_assert_eq(*(float *)varve_data(a), 7);
    varve_graph_free(graph);
}

/* Adds a variable that a rename maps to a value which another one already has,
 * and which does not fit. */
static varve_node *add_unfit_copy(varve_node *root)
{
    static float a;
    story_add(root, "a", &a);
    varve_node *c = varve_add_allocated_variable(
        root, "c", VARVE_FLOAT32, VARVE_SHAPE(2), put_seven, NULL);
    cr_assert_eq(varve_state_of(c), VARVE_PENDING);
    cr_assert_eq(varve_graph_check(varve_node_graph(root), NULL),
        VARVE_MISMATCH);
    return c;
}

static void expect_sevens(varve_node *c)
{
    cr_assert_eq(varve_graph_check(varve_node_graph(c), NULL), VARVE_OK);
    cr_assert_eq(varve_state_of(c), VARVE_INITIALIZED);
    cr_assert_eq(*(float *)varve_data(c), 7);
}

TEST(dropping_pending, freeing_initializes_variables_that_need_a_copy)
{
    STORY_FILE("f", { "a", 1 });
    varve_rename rename = { "c", "a" };
    varve_read_options options = { .rename = { .list = &rename, .count = 1 } };
    varve_graph *graph = story_graph();
    varve_restoration *r = story_read(varve_graph_root(graph), "f", &options);
    varve_node *c = add_unfit_copy(varve_graph_root(graph));
    varve_restoration_free(r);
    expect_sevens(c);
    varve_graph_free(graph);
}

TEST(dropping_pending, drops_pending_copies_too)
{
    STORY_FILE("f", { "a", 1 }, { "b", 2 });
    varve_error error;
    varve_rename rename = { "c", "a" };
    varve_read_options options = { .rename = { .list = &rename, .count = 1 } };
    for (int i = 0; i < 2; i++) {
        varve_graph *graph = story_graph();
        varve_restoration *r =
            story_read(varve_graph_root(graph), "f", &options);
        varve_node *c = add_unfit_copy(varve_graph_root(graph));
        cr_assert_ok(varve_drop_pending(r, "b", &error), error);
        cr_assert_eq(varve_state_of(c), VARVE_PENDING);
        cr_assert_ok(varve_drop_pending(r, i ? "a" : NULL, &error), error);
        expect_sevens(c);
        cr_assert_ok(varve_restoration_retry(r, &error), error);
        expect_sevens(c);
        varve_restoration_free(r);
        varve_graph_free(graph);
    }
}
