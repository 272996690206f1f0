/* test_plain.c - Tests a checkpoint and a golden file without a framework: a
 * failed assertion prints its reason and aborts.
 *
 * SPDX-License-Identifier: MIT
 */
#include <varve/testing.h>

#include "dense.h"

int main(void)
{
    struct dense dense = { .bias = { 0 } };
    varve_graph *graph = varve_graph_new(NULL);
    dense_add(&dense, varve_graph_root(graph));
    VARVE_TEST_READ(varve_graph_root(graph), "last_year.varve", NULL);
    /* [golden] */
    static const varve_tolerance tolerances[] = {
        { .dtype = VARVE_FLOAT32, .relative = 1e-5 },
        { .dtype = 0, .absolute = 1e-12 },
    };
    const varve_golden_options options = { .tolerances = tolerances,
        .tolerance_count = 2 };
    VARVE_TEST_GOLDEN(varve_graph_root(graph), "golden.varve", &options);
    /* [/golden] */
    varve_graph_free(graph);
    return 0;
}
