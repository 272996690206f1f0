/* test_restore_on_create.c - Tests that a library-owned variable gets either
 * its pending value or its initial value, never both.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

struct runs {
    int count;
    varve_status status;
};

static varve_status fill_with_7(const varve_tensor *tensor, void *user)
{
    struct runs *runs = user;
    runs->count++;
    float *values = tensor->data;
    for (uint64_t i = 0; i < varve_tensor_count(tensor); i++) {
        cr_assert_eq(values[i], 0, "it is handed zeroed memory");
        values[i] = 7;
    }
    return runs->status;
}

static varve_node *grow(varve_node *parent, const char *name, struct runs *runs)
{
    return varve_add_allocated_variable(
        parent, name, VARVE_FLOAT32, VARVE_SCALAR, fill_with_7, runs);
}

TEST(restore_on_create, a_pending_value_prevents_the_initializer)
{
    STORY_FILE("f", { "w", 5 });
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    struct runs runs = { 0 };
    varve_restoration *r = story_read(root, "f", NULL);
    varve_node *w = grow(root, "w", &runs);
    cr_assert_eq(*(float *)varve_data(w), 5);
    cr_assert_eq(runs.count, 0);
    cr_assert_eq(varve_state_of(w), VARVE_RESTORED);
    varve_restoration_free(r);
    cr_assert_eq(*(float *)varve_data(w), 5);
    varve_graph_free(graph);
}

TEST(restore_on_create, the_initializer_runs_once_without_a_value)
{
    STORY_FILE("f", { "w", 5 });
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    struct runs runs = { 0 };
    varve_node *before = grow(root, "before", &runs);
    cr_assert_eq(runs.count, 1);
    varve_restoration *r = story_read(
        root, "f", &(varve_read_options){ .expect.missing = "before" });
    varve_node *other = grow(root, "other", &runs);
    cr_assert_eq(runs.count, 2);
    varve_restoration_free(r);
    varve_node *late = grow(root, "w", &runs);
    cr_assert_eq(runs.count, 3, "the restoration is gone");
    cr_assert_eq(*(float *)varve_data(before), 7);
    cr_assert_eq(*(float *)varve_data(other), 7);
    cr_assert_eq(*(float *)varve_data(late), 7);
    cr_assert_eq(varve_state_of(late), VARVE_INITIALIZED);
    varve_graph_free(graph);
}

TEST(restore_on_create, a_restored_value_replaces_an_initialized_one)
{
    STORY_FILE("f", { "w", 5 });
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    struct runs runs = { 0 };
    varve_node *w = grow(root, "w", &runs);
    varve_restoration *r = story_read(root, "f", NULL);
    cr_assert_eq(*(float *)varve_data(w), 5);
    cr_assert_eq(varve_state_of(w), VARVE_RESTORED);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

TEST(restore_on_create, a_variable_in_a_detached_branch_is_restored)
{
    STORY_FILE("f", { "layer/w", 5 });
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    struct runs runs = { 0 };
    varve_restoration *r = story_read(root, "f", NULL);
    varve_node *layer = varve_add_detached(graph);
    varve_node *w = grow(layer, "w", &runs);
    varve_track(root, "layer", layer);
    cr_assert_eq(*(float *)varve_data(w), 5);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

TEST(restore_on_create, no_initializer_means_zeros)
{
    varve_graph *graph = story_graph();
    varve_node *w = varve_add_allocated_variable(varve_graph_root(graph), "w",
        VARVE_FLOAT64, VARVE_SHAPE(3, 5), NULL, NULL);
    double *values = varve_data(w);
    cr_assert_eq((uintptr_t)values % 64, 0);
    for (int i = 0; i < 15; i++)
        cr_assert_eq(values[i], 0);
    varve_graph_free(graph);
}

TEST(restore_on_create, a_failed_initializer_leaves_no_value)
{
    varve_error error;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    struct runs runs = { .status = VARVE_IO };
    varve_node *w = grow(root, "w", &runs);
    cr_assert_eq(varve_state_of(w), VARVE_DECLARED);
    cr_assert_neq(varve_graph_check(graph, &error), VARVE_OK);
    cr_assert(story_says(&error, "w"), "%s", error.message);
    cr_assert_neq(
        varve_write(root, test_path("f"), NULL, &error), VARVE_OK);
    cr_assert_eq(test_file_count(), 0);
    varve_graph_free(graph);
}

TEST(restore_on_create, slots_follow_the_same_rule)
{
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    float v = 1, m = 2;
    varve_node *variable = story_add(root, "v", &v);
    varve_add_slot(
        varve_add_object(root, "adam"), variable, "m", varve_scalar(&m));
    story_write(root, "f");
    varve_graph_free(graph);

    graph = story_graph();
    root = varve_graph_root(graph);
    variable = story_add(root, "v", &v);
    varve_node *adam = varve_add_object(root, "adam");
    varve_restoration *r = story_read(root, "f", NULL);
    struct runs runs = { 0 };
    varve_node *slot = varve_add_allocated_slot(adam, variable, "m",
        VARVE_FLOAT32, VARVE_SCALAR, fill_with_7, &runs);
    varve_node *fresh = varve_add_allocated_slot(adam, variable, "v",
        VARVE_FLOAT32, VARVE_SCALAR, fill_with_7, &runs);
    cr_assert_eq(*(float *)varve_data(slot), 2);
    cr_assert_eq(*(float *)varve_data(fresh), 7);
    cr_assert_eq(runs.count, 1);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

static varve_status count_node(void *user, varve_node *node, const char *path)
{
    (void)node;
    cr_assert_str_eq(path, "bad");
    ++*(int *)user;
    return VARVE_OK;
}

TEST(restore_on_create, variables_not_restored_are_listed_as_without_a_value)
{
    STORY_FILE("f", { "bad", 5 });
    varve_error error;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_restoration *r = story_read(root, "f", NULL);
    struct runs runs = { 0 };
    varve_node *bad = varve_add_allocated_variable(
        root, "bad", VARVE_FLOAT32, VARVE_SHAPE(3), fill_with_7, &runs);
    grow(root, "good", &runs);
    cr_assert_eq(varve_graph_check(graph, &error), VARVE_MISMATCH);
    cr_assert_eq(varve_state_of(bad), VARVE_PENDING);
    cr_assert_eq(runs.count, 1);
    int count = 0;
    cr_assert_ok(
        varve_report_uninitialized(root, count_node, &count, &error), error);
    cr_assert_eq(count, 1);
    cr_assert_ok(varve_drop_pending(r, "bad", &error), error);
    cr_assert_eq(varve_state_of(bad), VARVE_INITIALIZED);
    cr_assert_eq(((float *)varve_data(bad))[2], 7);
    cr_assert_eq(runs.count, 2);
    varve_restoration_free(r);
    varve_graph_free(graph);
}
