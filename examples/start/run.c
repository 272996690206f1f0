/* run.c - the usual program: it computes in steps, is stopped or killed at any
 * moment, and goes on where it was when it is started again.
 *
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>

#include <varve/varve.h>

int main(void)
{
    double sum = 0;
    int64_t step = 0;

    /* [run] */
    varve_run *run = varve_run_new(NULL);
    varve_node *root = varve_run_root(run);
    varve_add_variable(root, "sum", varve_scalar(&sum));
    varve_add_variable(root, "step", varve_scalar(&step));
    varve_run_open(run, "sums",
        &(varve_run_options){
            .manager = { .interval_steps = 10, .keep_last = 2 },
            .heed_signals = true, /* SIGTERM and Ctrl-C end it in order */
        });
    if (varve_run_warning(run))
        fprintf(stderr, "%s\n", varve_run_warning(run));
    if (varve_run_is_resumed(run))
        printf("resumed at step %" PRId64 "\n", step);
    int64_t end = step + 25;
    while (step < end && varve_run_goes_on(run)) {
        step++;
        sum += 1.0 / (double)step;
        varve_run_step(run, step);
    }
    printf("at step %" PRId64 " the sum is %.6f\n", step, sum);

    varve_error error;
    varve_status status = varve_run_end(run, &error);
    /* [/run] */
    if (status)
        fprintf(stderr, "%s\n", error.message);
    return status ? 1 : 0;
}
