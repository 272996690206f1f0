/* log.c - Writes a log that contains each line once, for docs/howto/log.md.
 *
 *     log [STEPS]
 *
 * After STEPS steps it exits without a save, as if it were killed.
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L /* fileno, ftruncate */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <varve/varve.h>

static int steps_left = -1;

static double train(double loss)
{
    if (steps_left-- == 0) {
        fflush(NULL);
        _exit(0); /* as if it were killed: nothing more is saved */
    }
    return loss * 0.9;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        steps_left = atoi(argv[1]);
    double loss = 1;
    varve_error error;

    /* [log] */
    FILE *log = fopen("loss.csv", "a"); /* not "w": it removes the old lines */
    if (!log)
        return 1;
    varve_run *run = varve_run_new(NULL);
    varve_node *root = varve_run_root(run);
    varve_add_variable(root, "loss", varve_scalar(&loss));
    varve_add_output(root, "log", log);
    varve_run_open(run, "run",
        &(varve_run_options){
            .manager = { .interval_steps = 10 }, .last_step = 30 });
    /* A process that was killed before its first save has also left lines. */
    if (varve_run_should_continue(run) && !varve_run_is_resumed(run) &&
        ftruncate(fileno(log), 0))
        return 1;
    int64_t step = varve_run_resumed_step(run);
    while (varve_run_should_continue(run)) {
        loss = train(loss);
        fprintf(log, "%d,%g\n", (int)++step, loss);
        varve_run_step(run, step);
    }
    varve_status status = varve_run_end(run, &error);
    /* [/log] */
    if (status)
        fprintf(stderr, "%s\n", error.message);
    return fclose(log) || status;
}
