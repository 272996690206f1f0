/* rewrite.c - Converts a checkpoint of any format to another through a graph.
 *
 *     rewrite FROM TO FORMAT
 *
 * FORMAT is a name of varve_format_name. The save counter and the metadata are
 * kept.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>

#include <varve/varve.h>

#include "format_name.h"

int main(int argc, char **argv)
{
    varve_error error = { 0 };
    varve_write_options options = { .keep_counter = true, .no_sync = true };
    if (argc != 4 || !format_of_name(argv[3], &options.format)) {
        fprintf(stderr, "usage: rewrite FROM TO FORMAT\n");
        return 2;
    }
    varve_graph *graph = varve_graph_from(argv[1], NULL, &error);
    if (!graph) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    options.metadata = varve_graph_metadata(graph, &options.metadata_count);
    varve_status status =
        varve_write(varve_graph_root(graph), argv[2], &options, &error);
    if (status)
        fprintf(stderr, "%s\n", error.message);
    varve_graph_free(graph);
    return status != VARVE_OK;
}
