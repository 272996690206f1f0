/* quickstart.c - Trains for 1,000 more steps each time it is run, and resumes.
 *
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>
#include <varve/varve.h>

int main(void)
{
    float weights[4][3] = { { 0 } };
    int64_t step = 0;

    /* Name the state. Variables are views of memory that you already have. */
    varve_run *run = varve_run_new(NULL);
    varve_node *root = varve_run_root(run);
    varve_node *model = varve_add_object(root, "model");
    varve_node *dense = varve_add_object(model, "dense");
    varve_add_variable(dense, "weights", varve_array(&weights[0][0], 4, 3));
    varve_add_variable(root, "step", varve_scalar(&step));

    /* Restore the newest intact checkpoint in ./run, if there is one. */
    varve_run_open(run, "run",
        &(varve_run_options){
            .manager = { .interval_steps = 100, .keep_last = 3 },
            .handle_signals = true, /* save and stop on SIGTERM or Ctrl-C */
        });
    printf("starting at step %" PRId64 "\n", step);

    int64_t end = step + 1000;
    while (step < end && varve_run_should_continue(run)) {
        weights[0][0] += 0.5f;       /* one step of your program */
        varve_run_step(run, ++step); /* saves if a save is due */
    }
    bool stopped = varve_run_was_stopped(run);

    varve_error error; /* the first error of any of these calls */
    if (varve_run_end(run, &error)) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    printf("step %" PRId64 ", weight %g%s\n", step, (double)weights[0][0],
        stopped ? ", stopped" : "");
    return 0;
}
