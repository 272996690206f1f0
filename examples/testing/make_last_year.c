/* make_last_year.c - Writes the checkpoint that the tests of this folder read.
 *
 *     make_last_year FILE
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>

#include "dense.h"

int main(int argc, char **argv)
{
    varve_error error;
    struct dense dense;
    if (argc != 2)
        return 2;
    varve_graph *graph = varve_graph_new(NULL);
    dense_fill(&dense);
    dense_add(&dense, varve_graph_root(graph));
    varve_status status =
        varve_write(varve_graph_root(graph), argv[1], NULL, &error);
    if (status)
        fprintf(stderr, "%s\n", error.message);
    varve_graph_free(graph);
    return status ? 1 : 0;
}
