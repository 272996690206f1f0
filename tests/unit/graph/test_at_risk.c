/* test_at_risk.c - Tests the record of values that a failed restoration could
 * lose.
 *
 * SPDX-License-Identifier: MIT
 */
#include "graphs.h"

#include <varve/variable.h>

#include "at_risk.h"
#include "touch.h"

TEST(at_risk, is_none_before_a_save_or_restore)
{
    varve_graph *graph = new_graph();
    cr_assert_not(vv_is_at_risk(graph, 1));
    cr_assert(vv_reserve_at_risk(graph) && vv_reserve_at_risk(graph));
    cr_assert_not(vv_is_at_risk(graph, 1));
    vv_put_at_risk(graph, 0);
    cr_assert(vv_is_at_risk(graph, 1));
    vv_put_at_risk(graph, 1);
    cr_assert(vv_is_at_risk(graph, 1));
    free_good(graph);
}

TEST(at_risk, is_none_for_the_first_restoration_if_it_is_the_only_one)
{
    varve_graph *graph = new_graph();
    cr_assert(vv_reserve_at_risk(graph));
    vv_put_at_risk(graph, 3);
    vv_put_at_risk(graph, 3);
    cr_assert_not(vv_is_at_risk(graph, 3));
    cr_assert(vv_is_at_risk(graph, 4));
    vv_put_at_risk(graph, 4);
    cr_assert(vv_is_at_risk(graph, 3) && vv_is_at_risk(graph, 4));
    free_good(graph);
}

TEST(at_risk, can_be_overridden_by_the_option_passes)
{
    varve_graph *graph = new_graph();
    cr_assert(vv_reserve_at_risk(graph));
    cr_assert_not(vv_may_lose(graph, 0, VARVE_PASSES_AUTO));
    vv_put_at_risk(graph, 3);
    cr_assert(vv_may_lose(graph, 0, VARVE_PASSES_AUTO));
    cr_assert_not(vv_may_lose(graph, 3, VARVE_PASSES_AUTO));
    for (uint64_t number = 0; number < 5; number++) {
        cr_assert_not(vv_may_lose(graph, number, VARVE_ONE_PASS));
        cr_assert(vv_may_lose(graph, number, VARVE_TWO_PASSES));
        cr_assert(vv_may_lose(graph, number, (varve_passes)7));
    }
    free_good(graph);
}

TEST(at_risk, reports_a_partially_restored_node)
{
    static float value;
    varve_error error = { 0 };
    varve_graph *graph = new_graph();
    varve_node *node = varve_add_variable(
        varve_graph_root(graph), "v", varve_scalar(&value));
    cr_assert_ok(vv_check_whole(node, &error), error);
    node->is_half = true;
    cr_assert_eq(vv_check_whole(node, &error), VARVE_MISUSE);
    cr_assert_eq(strncmp(error.message, "v: ", 3), 0, "%s", error.message);
    vv_will_touch(node);
    cr_assert(node->is_half);
    vv_touch(node);
    cr_assert_ok(vv_check_whole(node, &error), error);
    node->is_half = true;
    vv_forget_half(graph);
    cr_assert_ok(vv_check_whole(node, &error), error);
    free_good(graph);
}

TEST(at_risk, reports_failed_allocations)
{
    varve_graph *graph = new_graph();
    test_fail_allocation(0, false);
    cr_assert_not(vv_reserve_at_risk(graph));
    test_fail_allocation(-1, false);
    cr_assert_not(vv_is_at_risk(graph, 1));
    free_good(graph);
}
