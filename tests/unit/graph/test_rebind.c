/* test_rebind.c - Tests binding variables to other memory.
 *
 * SPDX-License-Identifier: MIT
 */
#include "graphs.h"

#include "slice.h"

static varve_graph *graph;
static varve_node *root;

static void begin(void)
{
    graph = new_graph();
    root = varve_graph_root(graph);
}

TEST(rebind, follows_moved_memory_of_the_program)
{
    float old[2] = { 0 };
    float now[2] = { 0 };
    begin();
    varve_node *node = varve_add_variable(root, "x", varve_array(old, 2));
    varve_rebind(node, varve_array(now, 2));
    cr_assert_eq(varve_data(node), now);
    free_good(graph);
    varve_tensor bad[] = { varve_view(now, VARVE_INT32, VARVE_SHAPE(2)),
        varve_view(NULL, VARVE_FLOAT32, VARVE_SHAPE(2)) };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        begin();
        node = varve_add_variable(root, "x", varve_array(old, 2));
        varve_rebind(node, bad[i]);
        cr_assert_eq(varve_data(node), old);
        free_bad(graph, VARVE_MISMATCH);
    }
}

TEST(rebind, requires_memory_owned_by_the_program)
{
    float x = 0;
    begin();
    varve_rebind(root, varve_scalar(&x));
    free_bad(graph, VARVE_MISUSE);
    begin();
    varve_node *node = varve_add_allocated_variable(
        root, "x", VARVE_FLOAT32, VARVE_SCALAR, NULL, NULL);
    varve_rebind(node, varve_scalar(&x));
    cr_assert_neq(varve_data(node), &x);
    free_bad(graph, VARVE_MISUSE);
}

TEST(rebind, keeps_a_slice)
{
    const uint64_t start[] = { 1, 0 };
    float memory[12] = { 0 };
    begin();
    varve_node *node = varve_add_slice(root, "rows",
        varve_array(memory, 2, 3), VARVE_SHAPE(4, 3), start);
    varve_rebind(node, varve_array(memory + 6, 2, 3));
    cr_assert_eq(varve_data(node), memory + 6);
    cr_assert_eq(varve_slice_of(node)->shape.extents[0], 4);
    cr_assert_eq(vv_box_of(node).start[0], 1);
    varve_rebind(node, varve_array(memory, 3, 3));
    cr_assert_eq(varve_data(node), memory + 6);
    free_bad(graph, VARVE_MISMATCH);
}
