/* test_touch.c - lib/graph/value/touch.c
 *
 * SPDX-License-Identifier: MIT
 */
#include "graphs.h"

#include <varve/variable.h>

#include "touch.h"
#include "variable.h"

static float values[3];
static varve_graph *graph;
static varve_node *object, *inner, *slot, *outer;

/* object/{inner, slot of inner}, outer; at the next moment. */
static void begin(void)
{
    graph = new_graph();
    varve_node *root = varve_graph_root(graph);
    object = varve_add_object(root, "object");
    inner = varve_add_variable(object, "inner", varve_scalar(&values[0]));
    slot = varve_add_slot(object, inner, "slot", varve_scalar(&values[1]));
    outer = varve_add_variable(root, "outer", varve_scalar(&values[2]));
    graph->moment = 7;
}

static bool is_touched(const varve_node *node)
{
    return node->touched == 7;
}

TEST(touch, of_a_variable_is_of_that_alone)
{
    begin();
    varve_touch(inner);
    cr_assert(is_touched(inner));
    cr_assert_not(is_touched(slot) || is_touched(outer));
    free_good(graph);
}

TEST(touch, of_another_node_is_of_all_that_can_be_reached)
{
    begin();
    varve_touch(object);
    cr_assert(is_touched(inner) && is_touched(slot));
    cr_assert_not(is_touched(outer));
    free_good(graph);
}

TEST(touch, without_memory_is_of_everything)
{
    begin();
    test_fail_allocation(0, false);
    varve_touch(object);
    test_fail_allocation(-1, false);
    cr_assert(is_touched(inner) && is_touched(slot) && is_touched(outer));
    free_good(graph);
}

TEST(touch, comes_with_what_the_library_does)
{
    static float elsewhere;
    begin();
    varve_error error = { 0 };
    varve_rebind(outer, varve_scalar(&elsewhere));
    cr_assert(is_touched(outer));
    varve_node *added = varve_add_allocated_variable(
        object, "added", VARVE_FLOAT32, VARVE_SHAPE(2), NULL, NULL);
    cr_assert(is_touched(added));
    graph->moment = 8;
    cr_assert_ok(varve_retype(added, VARVE_FLOAT64, NULL, &error), error);
    cr_assert_eq(added->touched, 8);
    graph->moment = 9;
    cr_assert_ok(vv_variable_run_initializer(added, &error), error);
    cr_assert_eq(added->touched, 9);
    free_good(graph);
}

TEST(touch, of_no_node_is_nothing)
{
    begin();
    varve_touch(NULL);
    varve_touch(varve_add_object(outer, "below a variable"));
    varve_clear_mistake(graph, NULL);
    cr_assert_not(is_touched(outer));
    free_good(graph);
}
