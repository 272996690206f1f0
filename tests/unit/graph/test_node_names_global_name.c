/* test_node_names_global_name.c - Tests global names.
 *
 * SPDX-License-Identifier: MIT
 */
#include "graphs.h"

#include "node_names.h"

static float numbers[4];

static varve_node *leaf(varve_node *parent, const char *name)
{
    return varve_add_variable(parent, name, varve_scalar(&numbers[0]));
}

TEST(global_name, belongs_to_one_node_of_the_graph)
{
    varve_graph *graph = new_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *a = leaf(root, "a");
    varve_node *b = leaf(root, "b");
    cr_assert_null(varve_global_name(a));
    cr_assert_null(varve_global_name(root));
    varve_set_global_name(a, "x/y");
    varve_set_global_name(a, "x/y");
    cr_assert_str_eq(varve_global_name(a), "x/y");
    varve_set_global_name(a, "z");
    varve_set_global_name(b, "x/y");
    cr_assert_str_eq(varve_global_name(a), "z");
    cr_assert_str_eq(varve_global_name(b), "x/y");
    varve_set_global_name(b, NULL);
    varve_set_global_name(root, NULL);
    varve_set_global_name(a, "x/y");
    cr_assert_null(varve_global_name(b));
    cr_assert_eq(vv_global_name_count(graph), 1);
    free_good(graph);
}

TEST(global_name, is_free_again_when_its_node_is_removed)
{
    varve_graph *graph = new_graph();
    varve_node *root = varve_graph_root(graph);
    varve_set_global_name(leaf(root, "a"), "x");
    varve_remove(varve_find(root, "a"));
    varve_node *b = leaf(root, "b");
    varve_set_global_name(b, "x");
    cr_assert_str_eq(varve_global_name(b), "x");
    cr_assert_eq(vv_global_name_count(graph), 1);
    free_good(graph);
}

TEST(global_name, of_another_node_is_an_error_with_both_paths)
{
    varve_graph *graph = new_graph();
    varve_error error = { 0 };
    varve_node *root = varve_graph_root(graph);
    varve_set_global_name(leaf(root, "first"), "x");
    varve_set_global_name(leaf(root, "second"), "x");
    cr_assert_eq(varve_graph_check(graph, &error), VARVE_DUPLICATE);
    cr_assert_str_eq(error.message,
        "second: duplicate global name \"x\", which first has");
    varve_graph_free(graph);
}

TEST(global_name, may_be_any_text_that_is_not_empty)
{
    static const char *const good[] = { "/", "/a", "a/", "a//b", "a/b" };
    static const char *const bad[] = { "", "\xff" };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        varve_graph *graph = new_graph();
        varve_node *node = leaf(varve_graph_root(graph), "a");
        varve_set_global_name(node, good[i]);
        cr_assert_str_eq(varve_global_name(node), good[i]);
        free_good(graph);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        varve_graph *graph = new_graph();
        varve_set_global_name(leaf(varve_graph_root(graph), "a"), bad[i]);
        cr_assert_eq(varve_graph_check(graph, NULL), VARVE_BAD_NAME, "%s",
            bad[i]);
        varve_graph_free(graph);
    }
}

TEST(global_name, is_allowed_only_for_nodes_with_values)
{
    varve_graph *graph = new_graph();
    varve_node *root = varve_graph_root(graph);
    varve_set_global_name(varve_add_object(root, "o"), "x");
    cr_assert_eq(varve_graph_check(graph, NULL), VARVE_MISUSE);
    varve_set_global_name(varve_add_object(root, "p"), "x"); /* nil */
    cr_assert_null(varve_global_name(varve_add_object(root, "q")));
    varve_graph_free(graph);
}

TEST(global_name, is_set_completely_or_not_without_memory)
{
    varve_status status = VARVE_NO_MEMORY;
    for (long n = 0; status; n++) {
        varve_graph *graph = new_graph();
        varve_node *a = leaf(varve_graph_root(graph), "a");
        test_fail_allocation(n, false);
        varve_set_global_name(a, "x");
        test_fail_allocation(-1, false);
        status = varve_graph_check(graph, NULL);
        cr_assert(status == VARVE_OK || status == VARVE_NO_MEMORY);
        cr_assert_eq(vv_global_name_count(graph), status == VARVE_OK);
        cr_assert_eq(varve_global_name(a) != NULL, status == VARVE_OK);
        varve_graph_free(graph);
    }
}
