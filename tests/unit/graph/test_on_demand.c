/* test_on_demand.c - Tests the callback that creates children on demand.
 *
 * SPDX-License-Identifier: MIT
 */
#include "graphs.h"

#include "on_demand.h"

static int calls;

static void heard_change(struct vv_observer *self, varve_node *node)
{
    (void)self;
    (void)node;
    calls++;
}

static void heard_end(struct vv_observer *self)
{
    (void)self;
}

static void demand(void *user, varve_node *node, const varve_offer *offer)
{
    (void)user;
    (void)node;
    (void)offer;
}

TEST(on_demand, is_set_cleared_and_refused_for_a_variable)
{
    struct vv_observer observer = { .node_changed = heard_change,
        .graph_freed = heard_end };
    float x = 0;
    varve_graph *graph = new_graph();
    varve_node *root = varve_graph_root(graph);
    vv_graph_observe(graph, &observer);
    varve_set_on_demand(root, demand, &x);
    cr_assert_eq(calls, 1);
    cr_assert_eq(vv_on_demand_of(root)->callback, demand);
    cr_assert_eq(vv_on_demand_of(root)->user, &x);
    varve_set_on_demand(root, NULL, NULL);
    cr_assert_eq(calls, 1);
    cr_assert_null(vv_on_demand_of(root));
    varve_set_on_demand(
        varve_add_variable(root, "x", varve_scalar(&x)), demand, NULL);
    free_bad(graph, VARVE_MISUSE);
}

TEST(on_demand, is_set_completely_or_not_without_memory)
{
    varve_status status = VARVE_NO_MEMORY;
    for (long n = 0; status; n++) {
        varve_graph *graph = new_graph();
        varve_node *root = varve_graph_root(graph);
        test_fail_allocation(n, false);
        varve_set_on_demand(root, demand, NULL);
        test_fail_allocation(-1, false);
        status = varve_graph_check(graph, NULL);
        cr_assert(!status || status == VARVE_NO_MEMORY);
        cr_assert_eq(vv_on_demand_of(root) != NULL, !status);
        varve_graph_free(graph);
    }
}
