/* make_golden.c - Writes the golden file of this version of the format.
 *
 *     make_golden DIRECTORY      writes DIRECTORY/golden-1.varve
 *
 * v1.varve is its output at the time when version 1 was defined. That file is
 * never edited or replaced: if the output differs, the format has changed.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>

#include "model/everything.h"

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: make_golden DIRECTORY\n");
        return 2;
    }
    char prefix[4096];
    snprintf(prefix, sizeof prefix, "%s/golden", argv[1]);
    varve_graph *graph = varve_graph_new(NULL);
    struct everything model = { 0 };
    everything_build(&model, graph);
    everything_fill(&model, 1);
    varve_write_options options = everything_options();
    varve_error error;
    varve_status status =
        varve_save(varve_graph_root(graph), prefix, &options, &error);
    if (status)
        fprintf(stderr, "%s\n", error.message);
    varve_graph_free(graph);
    return status ? 1 : 0;
}
