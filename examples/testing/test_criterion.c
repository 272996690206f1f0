/* test_criterion.c - Tests a checkpoint and a golden file with Criterion.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>

#include <varve/testing.h>

#include "dense.h"

Test(dense, is_saved_and_restored)
{
    struct dense dense = { .bias = { 0 } };
    varve_graph *graph = varve_graph_new(NULL);
    dense_add(&dense, varve_graph_root(graph));
    VARVE_TEST_READ(varve_graph_root(graph), "last_year.varve", NULL);
    VARVE_TEST_GOLDEN(varve_graph_root(graph), "golden.varve", NULL);
    varve_graph_free(graph);
}
