/* make_paged.c - Writes the golden checkpoint with a chunk that has checksums
 * by page: the second of two saves, of which the first is removed.
 *
 *     make_paged DIRECTORY
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>

#include <varve/varve.h>

enum { ROWS = 300, ROW = 1024 }; /* one chunk and a part of another */

static varve_status save(varve_node *root, const char *path, varve_error *error)
{
    const varve_write_options options = { .incremental = true, .compress = 1 };
    return varve_write(root, path, &options, error);
}

int main(int argc, char **argv)
{
    static float table[ROWS][ROW];
    int64_t step = 1;
    char path[4096];
    varve_error error;
    if (argc != 2) {
        fprintf(stderr, "usage: make_paged DIRECTORY\n");
        return 2;
    }
    snprintf(path, sizeof path, "%s/version-1-paged.varve", argv[1]);
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < ROW; k++)
            table[i][k] = (float)i;
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);
    varve_add_variable(
        root, "table", varve_array(&table[0][0], ROWS, ROW));
    varve_add_variable(root, "step", varve_scalar(&step));
    varve_status status = save(root, path, &error);
    table[7][0] = table[200][1000] = table[299][1] = -1;
    step = 2;
    if (!status)
        status = save(root, path, &error);
    if (status)
        fprintf(stderr, "%s\n", error.message);
    varve_graph_free(graph);
    return status ? 1 : 0;
}
