/* consumer.c - Saves a graph and reads it back, using only the installed
 * library. Valid as C11 and C++17.
 *
 * SPDX-License-Identifier: MIT
 */
#include <varve/varve.h>

#include <stdio.h>
#include <string.h>

static float kernel[6] = { 1, 2, 3, 4, 5, 6 };

static varve_graph *build(void)
{
    const uint64_t extents[2] = { 2, 3 };
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *layer = varve_add_object(varve_graph_root(graph), "layer");
    varve_add_variable(layer, "kernel",
        varve_view(kernel, VARVE_FLOAT32, varve_shape_of(2, extents)));
    return graph;
}

static varve_status round_trip(const char *path, varve_error *error)
{
    varve_graph *graph = build();
    varve_node *root = varve_graph_root(graph);
    varve_status status = varve_write(root, path, NULL, error);
    if (!status) {
        memset(kernel, 0, sizeof kernel);
        varve_restoration *r = varve_read(root, path, NULL, error);
        status = r ? varve_assert_consumed(r, error) : error->status;
        varve_restoration_free(r);
    }
    varve_graph_free(graph);
    return status;
}

int main(int count, char **arguments)
{
    varve_error error;
    if (count != 2 || strcmp(varve_version(), VARVE_VERSION) != 0) {
        fprintf(stderr, "headers of %s, library of %s\n", VARVE_VERSION,
            varve_version());
        return 2;
    }
    if (round_trip(arguments[1], &error)) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    if (kernel[0] != 1 || kernel[5] != 6) {
        fprintf(stderr, "the values were not restored\n");
        return 1;
    }
    return 0;
}
