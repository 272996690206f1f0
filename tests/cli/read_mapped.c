/* read_mapped.c - Restores a checkpoint into the graph of another through a
 * rename file and checks that all values of both were matched.
 *
 *     read_mapped A B MAP
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>

#include <varve/varve.h>

int main(int argc, char **argv)
{
    varve_error error = { .status = VARVE_OK };
    if (argc != 4)
        return 2;
    const varve_read_options options = { .rename.file = argv[3] };
    varve_restoration *found = NULL;
    varve_graph *graph = varve_graph_from(argv[2], NULL, &error);
    if (graph)
        found = varve_read(varve_graph_root(graph), argv[1], &options, &error);
    if (!found || varve_assert_consumed(found, &error))
        fprintf(stderr, "%s\n", error.message);
    varve_restoration_free(found);
    varve_graph_free(graph);
    return error.status ? 1 : 0;
}
