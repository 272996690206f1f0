/* run.h - Combines an object graph, a checkpoint manager and their cleanup.
 *
 *     varve_run *run = varve_run_new(NULL);
 *     varve_add_variable(varve_run_root(run), "step", varve_scalar(&step));
 *     const varve_run_options options = { .last_step = 100 };
 *     varve_run_open(run, "checkpoints", &options);
 *     int64_t step = varve_run_resumed_step(run);
 *     while (varve_run_should_continue(run)) {
 *         train();
 *         varve_run_step(run, ++step);
 *     }
 *     bool was_stopped = step < 100 && varve_run_was_stopped(run);
 *     varve_status status = varve_run_end(run, &error);
 *     return status ? 1 : was_stopped ? 75 : 0;
 *
 * You need not check each call. The run records the first error; later calls do
 * nothing, the loop ends, and varve_run_end returns the error.
 *
 * A run uses the functions of graph.h and manager.h, which a program may call
 * too. Only one thread may use a run at a time, except for varve_run_stop.
 *
 * With several processes (`comm` of the manager's options) all ranks call new,
 * open, check_resume, step and end in the same order, with the same options and
 * steps.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_RUN_H
#define VARVE_RUN_H

#include <varve/allocator.h>
#include <varve/error.h>
#include <varve/manager.h>
#include <varve/types.h>

VARVE_BEGIN_DECLS

/* Options of a run. All zero is the safe default, and NULL is the same. */
typedef struct varve_run_options {
    /* Options of the manager. `prefix` and `metric` are copied; everything else
     * that they point to is borrowed until the end of the run. */
    varve_manager_options manager;
    /* Stop the run on SIGTERM and SIGINT, after the current step. Only signals
     * with the default action are handled, and the default is restored at the
     * end. A second SIGINT ends the process. VARVE_MISUSE if another run of the
     * process already handles signals. */
    bool handle_signals;
    /* Do not save when the run ends. The last step before a stop is still
     * saved. */
    bool skip_final_save;
    /* Permit a resume that leaves values of the checkpoint unused or variables
     * of the program unchanged. Without this option a run is strict.
     * VARVE_MISUSE with `manager.strict`. */
    bool allow_partial;
    /* Permit steps up to the resumed one. */
    bool may_repeat_steps;
    /* Seconds that the end of the run waits until each level has its last
     * checkpoint; 0: 30; negative: without limit. */
    double drain_seconds;
    /* Number of the last step; 0: unknown. That step is saved when it is done,
     * not by varve_run_end, and varve_run_should_continue returns false after
     * it. */
    int64_t last_step;
    void *reserved[6];
} varve_run_options;

/* Creates a run with an empty graph.
 *
 * `allocator` may be NULL and is copied. End the run with varve_run_end or
 * varve_run_free. The result is never NULL: if memory is exhausted, it is a run
 * that has failed with that error. */
VARVE_API varve_run *varve_run_new(const varve_allocator *allocator);

/* Returns the graph of a run. The run owns it. */
VARVE_API varve_graph *varve_run_graph(varve_run *run);

/* Returns the root of the graph of a run. Nodes may be added before and after
 * varve_run_open. */
VARVE_API varve_node *varve_run_root(varve_run *run);

/* Returns the manager of a run, or NULL before varve_run_open. The run owns
 * it. */
VARVE_API varve_manager *varve_run_manager(const varve_run *run);

/* Creates the manager of `directory` and resumes from its newest intact
 * checkpoint, as varve_manager_resume does.
 *
 * `options` may be NULL. Call it once. Variables that are added later are
 * restored when they are added. Nothing is written, and signal handlers are
 * installed only with `handle_signals`. Collective.
 *
 * The run fails with VARVE_UNMATCHED if no value of the checkpoint matches the
 * program of any rank. It fails otherwise as varve_manager_new and
 * varve_manager_resume do. */
VARVE_API void varve_run_open(
    varve_run *run, const char *directory, const varve_run_options *options);

/* Returns true if varve_run_open has restored a checkpoint, and false if the
 * run starts from the beginning. */
VARVE_API bool varve_run_is_resumed(const varve_run *run);

/* Returns the step of the checkpoint that was restored, or 0 if the run starts
 * from the beginning.
 *
 * This step is complete; continue with the next one:
 *
 *     int64_t step = varve_run_resumed_step(run);
 *     while (step < end && varve_run_should_continue(run)) {
 *         ...
 *         varve_run_step(run, ++step);
 *     } */
VARVE_API int64_t varve_run_resumed_step(const varve_run *run);

/* Checks a resume immediately, as the first step after it would (see
 * varve_run_step), and that the graph has no error.
 *
 *     varve_run_open(run, "run", &options);
 *     if (!varve_run_check_resume(run))
 *         return varve_run_end(run, &error);
 *     truncate_log(varve_run_resumed_step(run));
 *
 * Call it when the graph is complete, before the program uses the restored
 * values for something that cannot be undone: before it truncates a file or
 * sends data to another program.
 *
 * Returns false if the check fails or the run has failed before. Change nothing
 * then and call varve_run_end, which returns the first error. Returns true if
 * the run was not resumed and the graph has no error. Permitted pending values
 * stay pending; varve_manager_finish_resume drops them. The run fails if this
 * is called before varve_run_open. Collective: all ranks get the same result.
 */
VARVE_API bool varve_run_check_resume(varve_run *run);

/* Returns true until an error occurs, the run is asked to stop, or `last_step`
 * is done or was resumed. Use it as the condition of the loop.
 *
 * The run fails if it is not open. With several processes all ranks stop after
 * the same step if any of them is asked to stop. Only varve_run_step changes
 * the result then, and each step costs one collective operation in addition to
 * that of varve_manager_save. */
VARVE_API bool varve_run_should_continue(varve_run *run);

/* Marks a step as done, and saves it if necessary.
 *
 * The step is saved if a save is due, if the run was asked to stop, or if it is
 * `last_step` or later and `skip_final_save` is not set. `options` may be NULL;
 * they are those of varve_manager_save_with. Collective.
 *
 * The run fails in these cases:
 *
 * - The save fails, or an asynchronous save has failed.
 * - VARVE_UNMATCHED: this is the first step after a resume, and the checkpoint
 *   and the program do not match completely (varve_manager_assert_consumed), so
 *   the graph must be complete by then. Nothing is saved.
 *   `manager.read->expect` permits missing and unexpected values,
 *   varve_drop_pending drops values, and `allow_partial` permits all missing
 *   and unexpected values.
 * - VARVE_MISUSE: the step is not greater than varve_run_resumed_step, and
 *   `may_repeat_steps` is not set. This finds loops that repeat a step. */
VARVE_API void varve_run_step(varve_run *run, int64_t step);
VARVE_API void varve_run_step_with(
    varve_run *run, int64_t step, const varve_manager_save_options *options);

/* Asks the run to stop after the current step, which is saved.
 *
 * This function is async-signal-safe, and any thread may call it while the run
 * exists. */
VARVE_API void varve_run_stop(varve_run *run);

/* Returns true if the run was asked to stop.
 *
 * Call it after the loop and before varve_run_end, to return a different exit
 * status than a finished program. It also returns true if the step during which
 * the run was asked to stop was the last one of the program; compare the
 * step. */
VARVE_API bool varve_run_was_stopped(const varve_run *run);

/* Returns the warning of the last save, or after varve_run_open a line for each
 * checkpoint that was skipped; NULL if there is none. The string is valid until
 * the next call with this run. */
VARVE_API const char *varve_run_warning(const varve_run *run);

/* Ends a run and frees it, with its manager and its graph.
 *
 * Before that it does the following:
 *
 * - It checks a resume that no step has checked, as the first step would,
 *   unless the run was asked to stop.
 * - It saves the graph under the number of the last step, and with its metric,
 *   if nothing has failed, that step is not saved yet, and `skip_final_save` is
 *   not set or the run was asked to stop.
 * - It waits for asynchronous saves, and up to `drain_seconds` for the levels.
 *
 * The save contains the values at the time of this call, not those at the last
 * step, and the library cannot detect a difference. Therefore set `last_step`:
 * the last step is then saved when it is done, and this function saves nothing.
 * If the number of steps is unknown, set `force` in the options of the last
 * varve_run_step_with. Otherwise the program must not free its memory, change
 * values or draw from a random stream of the graph between its loop and this
 * call.
 *
 * Returns the first error of the run. Collective.
 *
 * - Returns VARVE_TIMEOUT if only the copy of a checkpoint at a level is
 *   missing. The checkpoint is in the directory of the manager.
 * - Returns VARVE_MISUSE if `run` is NULL. */
VARVE_API varve_status varve_run_end(
    varve_run *run, varve_error *error) VARVE_MUST_CHECK;

/* Ends a run without a final save, for example after an error of the program in
 * the middle of a step. It waits for pending saves and frees everything. Takes
 * NULL. */
VARVE_API void varve_run_free(varve_run *run);

VARVE_END_DECLS

#endif
