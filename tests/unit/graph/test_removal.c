/* test_removal.c - Tests the removal of nodes and edges.
 *
 * SPDX-License-Identifier: MIT
 */
#include "graphs.h"

#include "slot.h"

static varve_graph *graph;
static varve_node *root;
static float memory[4];

static void begin(void)
{
    graph = new_graph();
    root = varve_graph_root(graph);
}

static varve_node *leaf(varve_node *parent, const char *name)
{
    return varve_add_allocated_variable(
        parent, name, VARVE_FLOAT32, VARVE_SHAPE(4), NULL, NULL);
}

TEST(removal, includes_nodes_reachable_only_through_the_node)
{
    begin();
    varve_node *model = varve_add_object(root, "model");
    varve_node *shared = varve_add_object(model, "shared");
    varve_track(root, "shared", shared);
    varve_node *list = varve_add_list(model, "list");
    leaf(list, VARVE_APPEND);
    leaf(shared, "kept");
    size_t bytes = node_count(graph);
    varve_remove(model);
    cr_assert_eq(node_count(graph), bytes - 3);
    cr_assert_null(varve_find(root, "model"));
    cr_assert_not_null(varve_find_path(root, "shared/kept"));
    check_links(graph);
    free_good(graph);
}

TEST(removal, breaks_a_cycle)
{
    begin();
    varve_node *a = varve_add_object(root, "a");
    varve_node *b = varve_add_object(a, "b");
    varve_node *c = varve_add_object(b, "c");
    varve_track(c, "a", a);
    varve_track(c, "c", c);
    varve_track(a, "root", root);
    varve_track(b, "b", b);
    varve_remove(a);
    /* b and c still have edges to themselves. */
    cr_assert_null(varve_find(root, "a"));
    cr_assert_eq(varve_find(b, "b"), b);
    check_links(graph);
    varve_remove(b);
    varve_remove(c);
    cr_assert_eq(node_count(graph), 1);
    free_good(graph);
}

TEST(removal, removes_a_whole_cycle)
{
    begin();
    varve_node *a = varve_add_object(root, "a");
    varve_node *b = varve_add_object(a, "b");
    varve_track(varve_add_object(b, "c"), "a", a);
    varve_remove(a);
    cr_assert_eq(node_count(graph), 1);
    check_links(graph);
    free_good(graph);
}

TEST(removal, includes_slots)
{
    begin();
    varve_node *optimizer = varve_add_object(root, "optimizer");
    varve_node *x = leaf(root, "x");
    varve_node *y = leaf(root, "y");
    varve_add_slot(optimizer, x, "m", varve_array(memory, 4));
    varve_add_slot(optimizer, y, "m", varve_array(memory, 4));
    varve_add_slot(root, x, "own", varve_array(memory, 4));
    cr_assert_eq(node_count(graph), 7);
    varve_remove(x);
    cr_assert_eq(node_count(graph), 4);
    cr_assert_null(varve_slot_first(root));
    cr_assert_eq(varve_slot_first(optimizer)->variable, y);
    cr_assert_null(varve_slot_next(varve_slot_first(optimizer)));
    varve_remove(optimizer);
    cr_assert_eq(node_count(graph), 2);
    check_links(graph);
    free_good(graph);
}

TEST(removal, of_a_slot_removes_it_from_its_owner)
{
    begin();
    varve_node *x = leaf(root, "x");
    varve_node *m = varve_add_slot(root, x, "m", varve_array(memory, 4));
    varve_remove(m);
    cr_assert_null(varve_find_slot(root, x, "m"));
    m = varve_add_slot(root, x, "m", varve_array(memory, 4));
    cr_assert_eq(varve_find_slot(root, x, "m"), m);
    varve_track(root, "tracked", m);
    varve_remove(x);
    cr_assert_eq(varve_find(root, "tracked"), m);
    cr_assert_null(vv_as_slot(m));
    free_good(graph);
}

TEST(removal, refuses_the_root)
{
    begin();
    varve_node *a = varve_add_object(root, "a");
    varve_track(a, "up", root);
    varve_remove(a);
    cr_assert_eq(node_count(graph), 1);
    varve_add_object(root, "b");
    varve_remove(root);
    cr_assert_not_null(varve_find(root, "b"));
    free_bad(graph, VARVE_MISUSE);
}

TEST(removal, is_possible_for_detached_nodes)
{
    begin();
    varve_node *alone = varve_add_detached(graph);
    varve_node *subtree = varve_add_detached(graph);
    leaf(subtree, "x");
    leaf(alone, "x");
    varve_remove(alone);
    cr_assert_eq(node_count(graph), 3);
    free_good(graph);
}

TEST(removal, of_a_deep_subtree_needs_no_recursion)
{
    begin();
    varve_node *node = root;
    for (int i = 0; i < 300000; i++)
        node = varve_add_object(node, "n");
    varve_remove(varve_find(root, "n"));
    cr_assert_eq(node_count(graph), 1);
    free_good(graph);
}

TEST(removal, of_an_edge_keeps_its_node)
{
    begin();
    varve_node *a = varve_add_object(root, "a");
    varve_node *below = varve_add_object(a, "below");
    varve_untrack(root, "a");
    cr_assert_null(varve_find(root, "a"));
    cr_assert_eq(varve_find(a, "below"), below);
    cr_assert_eq(varve_track(root, "b", a), a);
    cr_assert_eq(varve_find_path(root, "b/below"), below);
    varve_untrack(root, "a");
    free_bad(graph, VARVE_NOT_FOUND);
}
