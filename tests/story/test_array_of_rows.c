/* test_array_of_rows.c - Tests varve_array with a two-dimensional array: its
 * own extents, or given ones.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

#include <string.h>

static varve_node *add(varve_graph *graph, varve_tensor view)
{
    return varve_add_variable(varve_graph_root(graph), "w", view);
}

TEST(array_of_rows, is_saved_and_restored)
{
    float w[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } }, flat[6] = { 0 };
    varve_graph *graph = story_graph();
    varve_node *node = varve_add_variable(
        varve_graph_root(graph), "w", varve_array(w, 2, 3));
    const varve_tensor *value = varve_value(node);
    cr_assert_eq(value->data, w);
    cr_assert_eq(value->dtype, VARVE_FLOAT32);
    cr_assert_eq(value->rank, 2);
    cr_assert_eq(value->shape[0] * 10 + value->shape[1], 23);
    story_write(varve_graph_root(graph), "f");
    memset(w, 0, sizeof w);
    varve_restoration_free(story_read(varve_graph_root(graph), "f", NULL));
    cr_assert_eq(w[1][2], 6);
    varve_graph_free(graph);
    graph = story_graph();
    add(graph, varve_array(flat, 2, 3));
    varve_restoration *r = story_read(varve_graph_root(graph), "f", NULL);
    story_consumed(r);
    varve_restoration_free(r);
    cr_assert_eq(flat[5], 6);
    varve_graph_free(graph);
}

/* The program must pass the number of rows behind a pointer. */
TEST(array_of_rows, may_be_reached_through_a_pointer)
{
    double w[4][2] = { { 0 } }, (*rows)[2] = w;
    size_t many = 3;
    varve_graph *graph = story_graph();
    varve_node *node = add(graph, varve_array(rows, many, 2));
    cr_assert_eq(varve_value(node)->shape[0], 3);
    varve_rebind(node, varve_array(rows, 4, 2));
    cr_assert_eq(varve_value(node)->shape[0], 4);
    varve_error error = { 0 };
    cr_assert_ok(varve_graph_check(graph, &error), error);
    varve_graph_free(graph);
}

TEST(array_of_rows, is_refused_with_different_extents)
{
    float w[2][3] = { { 0 } };
    const varve_tensor others[] = { varve_array(w, 2), varve_array(w, 6),
        varve_array(w, 3, 2), varve_array(w, 2, 3, 2), varve_array(w, 2, 0),
        varve_array(w, 2, UINT64_MAX, UINT64_MAX),
        varve_view_of_rows(w, 5, VARVE_FLOAT32, VARVE_SHAPE(2, 3)) };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        varve_error error = { 0 };
        varve_graph *graph = story_graph();
        add(graph, others[i]);
        cr_assert_eq(varve_graph_clear_error(graph, &error), VARVE_BAD_SHAPE);
        cr_assert(story_says(&error,
                      "\"w\": wrong extents: pass those of the array, as in "
                      "varve_array(w, 2,"),
            "%zu: %s", i, error.message);
        varve_node *node = add(graph, varve_array(w, 2, 3));
        varve_rebind(node, others[i]);
        cr_assert_eq(varve_graph_clear_error(graph, &error), VARVE_MISMATCH);
        cr_assert(story_says(&error, "not those of the array"), "%zu: %s", i,
            error.message);
        varve_graph_free(graph);
    }
}
