/* test_graph_new.c - Tests the creation of a graph that uses the real system.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "graph.h"
#include "system.h"

TEST(graph_new, uses_the_real_system)
{
    varve_error error = { 0 };
    varve_graph *graph = varve_graph_new(test_allocator());
    cr_assert_eq(graph->context.system, &vv_posix_system);
    cr_assert_eq(
        graph->context.allocator.function, test_allocator()->function);
    cr_assert_ok(varve_write(varve_graph_root(graph), test_path("a"), NULL,
                     &error), error);
    cr_assert_eq(test_file_count(), 1);
    varve_graph_free(graph);
}

TEST(graph_new, has_an_allocator_even_if_none_is_given)
{
    varve_graph *graph = varve_graph_new(NULL);
    cr_assert_not_null(graph->context.allocator.function);
    varve_graph_free(graph);
}
