/* test_deferred_restore.c - Tests that nodes built after the read are restored
 * when they are built: by any call, at any depth, individually or as a whole.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

/* B6 */
TEST(deferred_restore, a_value_is_restored_when_its_variable_is_added)
{
    STORY_FILE("f", { "dep/var", 123 });
    varve_error error;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_restoration *r = story_read(root, "f", NULL);
    cr_assert_ok(varve_assert_existing_objects_matched(r, &error), error);
    story_unmatched(varve_assert_consumed(r, &error), "dep/var", error);
    cr_assert_eq(varve_pending_count(r), 1);
    float var = 0;
    varve_node *dep = varve_add_object(root, "dep");
    cr_assert_eq(varve_pending_count(r), 1);
    varve_add_variable(dep, "var", varve_scalar(&var));
    cr_assert_eq(var, 123);
    cr_assert_eq(varve_pending_count(r), 0);
    cr_assert_ok(varve_assert_existing_objects_matched(r, &error), error);
    story_consumed(r);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

/* B7 */
TEST(deferred_restore, a_detached_branch_is_restored_when_it_is_tracked)
{
    STORY_FILE("f", { "dep/inner/var", -14 }, { "dep/other", 3 });
    varve_graph *graph = story_graph();
    varve_restoration *r = story_read(varve_graph_root(graph), "f", NULL);
    float var = 0, other = 0;
    varve_node *dep = varve_add_detached(graph);
    story_add(dep, "inner/var", &var);
    story_add(dep, "other", &other);
    cr_assert_eq(var, 0);
    varve_track(varve_graph_root(graph), "dep", dep);
    cr_assert_eq(var, -14);
    cr_assert_eq(other, 3);
    story_consumed(r);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

/* B15 */
TEST(deferred_restore, a_detached_variable_is_restored_when_it_is_tracked)
{
    STORY_FILE("f", { "v", 4 });
    varve_graph *graph = story_graph();
    varve_node *aside = varve_add_detached(graph);
    float v = 1;
    varve_node *node = varve_add_variable(aside, "mine", varve_scalar(&v));
    varve_restoration *r = story_read(varve_graph_root(graph), "f", NULL);
    v = -2;
    varve_track(varve_graph_root(graph), "v", node);
    cr_assert_eq(v, 4);
    story_consumed(r);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

TEST(deferred_restore, replace_insert_append_and_add_state_restore_too)
{
    float saved[4] = { 1, 2, 3, 4 };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *list = varve_add_list(root, "list");
    for (int i = 0; i < 3; i++)
        varve_add_variable(list, VARVE_APPEND, varve_scalar(&saved[i]));
    varve_node *dict = varve_add_dict(root, "dict");
    varve_add_variable(dict, "key", varve_scalar(&saved[3]));
    story_write(root, "f");
    varve_graph_free(graph);

    graph = story_graph();
    root = varve_graph_root(graph);
    varve_restoration *r = story_read(root, "f", NULL);
    float v[4] = { 0 };
    varve_node *aside = varve_add_detached(graph);
    varve_node *nodes[4];
    for (int i = 0; i < 4; i++)
        nodes[i] = varve_add_variable(
            aside, (const char[]){ (char)('a' + i), 0 }, varve_scalar(&v[i]));
    list = varve_add_list(root, "list");
    varve_list_append(list, nodes[0]);
    cr_assert_eq(v[0], 1);
    varve_list_insert(list, 1, nodes[1]);
    cr_assert_eq(v[1], 2);
    varve_track(list, VARVE_APPEND, nodes[2]);
    cr_assert_eq(v[2], 3);
    varve_replace(varve_add_dict(root, "dict"), "key", nodes[3]);
    cr_assert_eq(v[3], 4);
    story_consumed(r);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

TEST(deferred_restore, type_and_shape_of_a_pending_value_can_be_queried)
{
    double kernel[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };
    varve_graph *graph = story_graph();
    varve_node *dense = story_object(varve_graph_root(graph), "model/dense");
    varve_add_variable(dense, "kernel", varve_array(&kernel[0][0], 2, 3));
    story_write(varve_graph_root(graph), "f");
    varve_graph_free(graph);

    graph = story_graph();
    varve_restoration *r = story_read(varve_graph_root(graph), "f", NULL);
    dense = story_object(varve_graph_root(graph), "model/dense");
    const varve_tensor *waiting = varve_pending(dense, "kernel");
    cr_assert(waiting);
    cr_assert_eq(waiting->dtype, VARVE_FLOAT64);
    cr_assert_eq(waiting->rank, 2);
    cr_assert_eq(waiting->shape[0], 2);
    cr_assert_eq(waiting->shape[1], 3);
    cr_assert_null(waiting->data);
    cr_assert_null(varve_pending(dense, "bias"));
    varve_node *node = varve_add_allocated_variable(dense, "kernel",
        waiting->dtype, varve_shape_of(waiting->rank, waiting->shape), NULL,
        NULL);
    cr_assert_eq(((double *)varve_data(node))[5], 6);
    cr_assert_null(varve_pending(dense, "kernel"), "it waits no longer");
    varve_restoration_free(r);
    varve_graph_free(graph);
}

/* B31 */
TEST(deferred_restore, a_model_that_grows_is_restored_layer_by_layer)
{
    STORY_FILE("f", { "0/w", 10 }, { "1/w", 11 }, { "2/w", 12 });
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    float w[3] = { 0 };
    story_add(root, "0/w", &w[0]);
    varve_restoration *r = story_read(root, "f", NULL);
    cr_assert_eq(w[0], 10);
    story_add(root, "1/w", &w[1]);
    cr_assert_eq(w[1], 11);
    cr_assert_eq(varve_pending_count(r), 1);
    story_add(root, "2/w", &w[2]);
    cr_assert_eq(w[2], 12);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

TEST(deferred_restore, a_mismatched_value_is_pending_until_it_matches)
{
    STORY_FILE("f", { "v", 5 });
    varve_error error;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_restoration *r = story_read(root, "f", NULL);
    float wrong[2] = { 7, 7 }, right = 0;
    varve_node *v = varve_add_variable(root, "v", varve_array(wrong, 2));
    cr_assert_eq(wrong[0], 7);
    cr_assert_eq(varve_graph_check(graph, &error), VARVE_MISMATCH);
    cr_assert(story_says(&error, "float32[2]"), "%s", error.message);
    varve_remove(v);
    varve_add_variable(root, "v", varve_scalar(&right));
    cr_assert_ok(varve_restoration_retry(r, &error), error);
    cr_assert_eq(right, 5);
    cr_assert_ok(varve_graph_check(graph, &error), error);
    story_consumed(r);
    varve_restoration_free(r);
    varve_graph_free(graph);
}
