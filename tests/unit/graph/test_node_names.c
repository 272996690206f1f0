/* test_node_names.c - Tests aliases and retired names.
 *
 * SPDX-License-Identifier: MIT
 */
#include "graphs.h"

#include "node_names.h"

static varve_graph *graph;
static varve_node *root;

static void begin(void)
{
    graph = new_graph();
    root = varve_graph_root(graph);
}

TEST(alias, are_kept_in_order)
{
    begin();
    varve_node *a = varve_add_object(root, "a");
    varve_alias(a, "first");
    varve_alias(a, "second");
    const struct vv_alias *alias = vv_first_alias(a);
    cr_assert_str_eq(alias->name->bytes, "first");
    cr_assert_str_eq(alias->next->name->bytes, "second");
    cr_assert_null(alias->next->next);
    cr_assert_null(varve_find(root, "first"));
    varve_alias(a, "\xff");
    cr_assert_null(alias->next->next);
    free_bad(graph, VARVE_BAD_NAME);
    begin();
    varve_alias(varve_add_object(root, "a"), NULL);
    free_bad(graph, VARVE_BAD_NAME);
}

TEST(alias, names_can_be_retired)
{
    begin();
    varve_node *a = varve_add_object(root, "a");
    cr_assert(!vv_is_retired(a, "x", 1));
    varve_retire(a, "x");
    varve_retire(a, "a longer one");
    cr_assert(vv_is_retired(a, "x", 1));
    cr_assert(vv_is_retired(a, "a longer one", 12));
    cr_assert(!vv_is_retired(a, "a longer", 8));
    cr_assert(!vv_is_retired(root, "x", 1));
    varve_retire(a, "");
    free_bad(graph, VARVE_BAD_NAME);
    float v = 0;
    begin();
    varve_retire(varve_add_variable(root, "v", varve_scalar(&v)), "x");
    free_bad(graph, VARVE_MISUSE);
}

TEST(alias, is_retired_completely_or_not_without_memory)
{
    varve_status status = VARVE_NO_MEMORY;
    for (long n = 0; status; n++) {
        begin();
        varve_node *a = varve_add_object(root, "a");
        test_fail_allocation(n, false);
        varve_retire(a, "x");
        test_fail_allocation(-1, false);
        status = varve_graph_check(graph, NULL);
        cr_assert(!status || status == VARVE_NO_MEMORY);
        cr_assert_eq(vv_is_retired(a, "x", 1), !status);
        varve_graph_free(graph);
    }
}
