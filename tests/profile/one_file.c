/* one_file.c - Uses the two files that scripts/amalgamate.py creates.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>

#include "varve.h"

int main(void)
{
    float kernel[3] = { 1, 2, 3 };
    varve_error error = { 0 };
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);
    varve_add_variable(root, "kernel", varve_array(kernel, 3));
    varve_restoration *restoration = NULL;
    if (!varve_write(root, "kernel.varve", NULL, &error)) {
        kernel[2] = 0;
        restoration = varve_read(root, "kernel.varve", NULL, &error);
    }
    if (restoration)
        printf("kernel: %g %g %g\n", kernel[0], kernel[1], kernel[2]);
    else
        fprintf(stderr, "%s\n", error.message);
    varve_restoration_free(restoration);
    varve_graph_free(graph);
    return error.status;
}
