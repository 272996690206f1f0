/* test_rebind_retype.c - Tests converting variables to another element type.
 *
 * SPDX-License-Identifier: MIT
 */
#include "graphs.h"

#include <varve/variable.h>

static varve_graph *graph;

static varve_node *add(const float *values, uint64_t count)
{
    graph = new_graph();
    varve_node *node = varve_add_allocated_variable(varve_graph_root(graph),
        "x", VARVE_FLOAT32, VARVE_SHAPE(count), NULL, NULL);
    if (varve_data(node))
        memcpy(varve_data(node), values, (size_t)count * sizeof *values);
    return node;
}

TEST(retype, converts_the_value)
{
    const float values[4] = { 1, -2, 3.75f, 4 };
    varve_error error = { 0 };
    uint64_t inexact = 9;
    varve_node *node = add(values, 4);
    cr_assert_ok(varve_retype(node, VARVE_INT16, &inexact, &error), error);
    cr_assert_eq(inexact, 1);
    cr_assert_eq(varve_value(node)->dtype, VARVE_INT16);
    cr_assert_eq(varve_value(node)->shape[0], 4);
    const int16_t wanted[4] = { 1, -2, 3, 4 };
    cr_assert_arr_eq((int16_t *)varve_data(node), wanted, 4);
    cr_assert_eq(varve_state_of(node), VARVE_INITIALIZED);
    cr_assert_ok(varve_retype(node, VARVE_FLOAT64, NULL, &error), error);
    cr_assert_eq(((double *)varve_data(node))[1], -2);
    free_good(graph);
}

TEST(retype, to_the_same_type_keeps_the_memory)
{
    const float values[1] = { 1 };
    varve_error error = { 0 };
    uint64_t inexact = 9;
    varve_node *node = add(values, 1);
    void *data = varve_data(node);
    cr_assert_ok(varve_retype(node, VARVE_FLOAT32, &inexact, &error), error);
    cr_assert_eq(inexact, 0);
    cr_assert_eq(varve_data(node), data);
    free_good(graph);
}

TEST(retype, works_without_elements)
{
    varve_error error = { 0 };
    varve_node *node = add(NULL, 0);
    cr_assert_ok(varve_retype(node, VARVE_FLOAT16, NULL, &error), error);
    cr_assert_eq(varve_value(node)->dtype, VARVE_FLOAT16);
    free_good(graph);
}

TEST(retype, refuses_strings_other_nodes_and_memory_of_the_program)
{
    const float values[1] = { 1 };
    float own = 0;
    varve_error error = { 0 };
    varve_node *node = add(values, 1);
    varve_node *root = varve_graph_root(graph);
    varve_node *view = varve_add_variable(root, "own", varve_scalar(&own));
    cr_assert_eq(
        varve_retype(node, VARVE_STRING, NULL, &error), VARVE_MISMATCH);
    cr_assert_eq(error.status, VARVE_MISMATCH);
    cr_assert_eq(varve_retype(node, (varve_dtype)99, NULL, &error),
        VARVE_MISMATCH);
    cr_assert_eq(varve_retype(view, VARVE_INT8, NULL, &error), VARVE_MISUSE);
    cr_assert_eq(varve_retype(root, VARVE_INT8, NULL, &error), VARVE_MISUSE);
    cr_assert_eq(strncmp(error.message, "(root): ", 8), 0, "%s", error.message);
    cr_assert_eq(varve_retype(NULL, VARVE_INT8, NULL, &error), VARVE_MISUSE);
    cr_assert_eq(varve_value(node)->dtype, VARVE_FLOAT32);
    cr_assert_eq(*(float *)varve_data(node), 1);
    free_good(graph);
}

TEST(retype, without_memory_leaves_the_value_unchanged)
{
    const float values[2] = { 1, 2 };
    varve_error error = { 0 };
    varve_node *node = add(values, 2);
    test_fail_allocation(0, false);
    varve_status status = varve_retype(node, VARVE_FLOAT64, NULL, &error);
    test_fail_allocation(-1, false);
    cr_assert_eq(status, VARVE_NO_MEMORY);
    cr_assert_eq(varve_value(node)->dtype, VARVE_FLOAT32);
    cr_assert_arr_eq((float *)varve_data(node), values, 2);
    free_good(graph);
}
