/* readme.c - Saves and restores two values: run it twice.
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

    varve_run *run = varve_run_new(NULL);
    varve_node *root = varve_run_root(run);
    varve_node *model = varve_add_object(root, "model");
    varve_add_variable(model, "kernel", varve_array(&kernel[0][0], 2, 3));
    varve_add_variable(root, "step", varve_scalar(&step));
    varve_run_open(run, "run", NULL); /* restores the newest checkpoint */

    printf("at step %" PRId64 ", kernel[1][2] is %g\n", step,
        (double)kernel[1][2]);
    kernel[1][2] += 0.5f;
    varve_run_step(run, ++step);

    varve_error error; /* the first error of any of these calls */
    varve_status status = varve_run_end(run, &error);
    if (status)
        fprintf(stderr, "%s\n", error.message);
    return status ? 1 : 0;
}
