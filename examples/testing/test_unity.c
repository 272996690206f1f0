/* test_unity.c - Tests a checkpoint and a golden file with Unity.
 *
 * SPDX-License-Identifier: MIT
 */
#include <unity.h>

#include <varve/testing.h>

#include "dense.h"

void setUp(void)
{
}

void tearDown(void)
{
}

static void is_saved_and_restored(void)
{
    struct dense dense = { .bias = { 0 } };
    varve_graph *graph = varve_graph_new(NULL);
    dense_add(&dense, varve_graph_root(graph));
    VARVE_TEST_READ(varve_graph_root(graph), "last_year.varve", NULL);
    VARVE_TEST_GOLDEN(varve_graph_root(graph), "golden.varve", NULL);
    varve_graph_free(graph);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(is_saved_and_restored);
    return UNITY_END();
}
