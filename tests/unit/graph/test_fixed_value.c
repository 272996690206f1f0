/* test_fixed_value.c - Tests the recorded checksums of fixed values.
 *
 * SPDX-License-Identifier: MIT
 */
#include "graphs.h"

#include <varve/memory.h>
#include <varve/struct.h>

#include "fixed_value.h"
#include "tag.h"

static varve_error error;

static varve_status check(varve_node *node)
{
    return vv_fixed_value_check(node, NULL, 0, &error);
}

TEST(fixed_value, is_recorded_for_tagged_nodes)
{
    int a = 1, b = 1;
    varve_graph *graph = new_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *own =
        varve_add_fixed_variable(root, "own", varve_scalar(&a));
    varve_node *counted = varve_add_variable(root, "n", varve_scalar(&b));
    vv_tag(counted, VARVE_TAG_FIXED);
    a = b = 2;
    cr_assert_eq(check(own), VARVE_MISUSE);
    cr_assert_ok(check(counted), error);
    vv_fixed_value_record(own);
    cr_assert_ok(check(own), error);
    a = 3;
    vv_fixed_value_record_at(root, &b);
    cr_assert_eq(check(own), VARVE_MISUSE);
    vv_fixed_value_record_at(root, &a);
    cr_assert_ok(check(own), error);
    varve_tag(root, VARVE_TAG_FIXED); /* it has no value */
    cr_assert_ok(check(root), error);
    free_good(graph);
}

TEST(fixed_value, is_not_tagged_without_memory)
{
    int a = 1;
    for (long calls = 0, done = 0; !done; calls++) {
        varve_graph *graph = new_graph();
        varve_node *node = varve_add_variable(
            varve_graph_root(graph), "a", varve_scalar(&a));
        test_fail_allocation(calls, false);
        varve_tag(node, VARVE_TAG_FIXED);
        test_fail_allocation(-1, false);
        done = varve_graph_check(graph, &error) == VARVE_OK;
        cr_assert(done == varve_has_tag(node, VARVE_TAG_FIXED));
        a++;
        cr_assert_eq(check(node), done ? VARVE_MISUSE : VARVE_OK);
        varve_graph_free(graph);
    }
}

TEST(fixed_value, check_fails_without_memory_for_a_chunk)
{
    int apart[4] = { 1, 0, 2, 0 };
    varve_graph *graph = new_graph();
    varve_node *node = varve_add_fixed_variable(varve_graph_root(graph), "a",
        varve_strided(apart, VARVE_STRIDES(2 * sizeof *apart), 2));
    test_fail_allocation(0, false);
    cr_assert_eq(check(node), VARVE_NO_MEMORY);
    test_fail_allocation(-1, false);
    cr_assert_ok(check(node), error);
    free_good(graph);
}

TEST(fixed_value, of_a_text_is_recorded_immediately)
{
    char text[8] = "one";
    varve_graph *graph = new_graph();
    varve_node *node =
        varve_add_text(varve_graph_root(graph), "text", text, sizeof text);
    varve_tag(node, VARVE_TAG_FIXED);
    cr_assert_ok(vv_fixed_value_check(node, "one", 3, &error), error);
    cr_assert_eq(vv_fixed_value_check(node, "two", 3, &error), VARVE_MISUSE);
    free_good(graph);
}
