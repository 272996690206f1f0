/* readme.c - the smallest program that saves and restores: run it twice.
 *
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>

#include <varve/varve.h>

int main(void)
{
    float kernel[2][3] = { { 0 } };
    int64_t step = 0;

    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);
    varve_node *model = varve_add_object(root, "model");
    varve_add_variable(model, "kernel", varve_array(&kernel[0][0], 2, 3));
    varve_add_variable(root, "step", varve_scalar(&step));

    varve_error error = { .status = VARVE_OK };
    varve_restoration *found = varve_restore(root, "run/ckpt", NULL, &error);
    if (found || error.status == VARVE_NOT_FOUND) {
        error.status = VARVE_OK; /* nothing saved yet is a fresh start */
        printf("at step %" PRId64 ", kernel[1][2] is %g\n", step,
            (double)kernel[1][2]);
        step += 1;
        kernel[1][2] += 0.5f;
        if (!varve_save(root, "run/ckpt", NULL, &error))
            printf("saved run/ckpt-%" PRIu64 "\n", varve_save_counter(root));
    }
    if (error.status)
        fprintf(stderr, "%s\n", error.message);
    varve_restoration_free(found);
    varve_graph_free(graph);
    return error.status ? 1 : 0;
}
