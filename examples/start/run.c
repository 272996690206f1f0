/* run.c - Computes in steps. It may be stopped or killed at any time, and
 * resumes when it is started again.
 *
 *     run [LAST_STEP]
 *
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <varve/varve.h>

enum { STOPPED = 75 }; /* EX_TEMPFAIL of sysexits.h: start it again */

int main(int argc, char **argv)
{
    double sum = 0;
    int64_t end = argc > 1 ? strtoll(argv[1], NULL, 10) : 25;

    /* [run] */
    varve_run *run = varve_run_new(NULL);
    varve_node *root = varve_run_root(run);
    varve_add_variable(root, "sum", varve_scalar(&sum));
    varve_run_open(run, "sums",
        &(varve_run_options){
            .manager = { .interval_steps = 10, .keep_last = 2 },
            .handle_signals = true, /* SIGTERM and Ctrl-C save, then stop */
            .last_step = end,       /* is saved when it is done */
        });
    if (varve_run_warning(run))
        fprintf(stderr, "%s\n", varve_run_warning(run));
    if (varve_run_is_resumed(run))
        printf("resumed at step %" PRId64 "\n", varve_run_resumed_step(run));
    int64_t step = varve_run_resumed_step(run);
    while (varve_run_should_continue(run)) {
        step++;
        sum += 1.0 / (double)step;
        varve_run_step(run, step);
    }
    printf("at step %" PRId64 " the sum is %.6f\n", step, sum);
    bool was_stopped = step < end && varve_run_was_stopped(run);

    varve_error error;
    varve_status status = varve_run_end(run, &error);
    /* [/run] */
    if (status)
        fprintf(stderr, "%s\n", error.message);
    return status ? 1 : was_stopped ? STOPPED : 0;
}
