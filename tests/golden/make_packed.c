/* make_packed.c - Writes the golden file with compressed values.
 *
 *     make_packed FILE
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>

#include <varve/varve.h>

enum { WEIGHTS = 1500, NOISE = 5000 };

int main(int argc, char **argv)
{
    static float weights[WEIGHTS];
    static uint8_t noise[NOISE];
    int64_t step = 7;
    uint32_t random = 1;
    const varve_write_options options = { .compress = 1 };
    varve_error error;
    if (argc != 2) {
        fprintf(stderr, "usage: make_packed FILE\n");
        return 2;
    }
    for (int i = 0; i < WEIGHTS; i++)
        weights[i] = (float)i / 1024;
    for (int i = 0; i < NOISE; i++) {
        random = random * 1664525 + 1013904223;
        noise[i] = (uint8_t)(random >> 24);
    }
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);
    varve_add_variable(root, "weights", varve_array(weights, WEIGHTS));
    varve_add_variable(root, "noise", varve_array(noise, NOISE));
    varve_add_variable(root, "step", varve_scalar(&step));
    varve_status status = varve_write(root, argv[1], &options, &error);
    if (status)
        fprintf(stderr, "%s\n", error.message);
    varve_graph_free(graph);
    return status ? 1 : 0;
}
