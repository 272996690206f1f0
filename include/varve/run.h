/* run.h - the usual program in a few calls: a graph, a manager, and the end.
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
 * The first failure stays in the handle, as the first mistake in a graph: what
 * is called after it does nothing, the loop ends, and varve_run_end tells.
 *
 * All of it stands on graph.h and manager.h, whose calls a program may mix in;
 * one that outgrows it replaces it line by line. Used by one thread at a time,
 * but for varve_run_stop.
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

/* All zero is the safe default; NULL stands for that. */
typedef struct varve_run_options {
    varve_manager_options
        manager;           /* its prefix and metric are copied, all else
                              that it points to is borrowed to the end */
    bool handle_signals;   /* SIGTERM and SIGINT stop the run after the current
                              step. Only signals with the default action are
                              handled; the default is restored at the end. A
                              second SIGINT ends the process. One run of a
                              process at a time: VARVE_MISUSE for another */
    bool skip_final_save;  /* the end of the run is not saved for being the end;
                           the last step before a stop still is */
    bool allow_partial;    /* a resume may leave values of the checkpoint
                              unused, and variables of the program as they are.
                              Without this a run is strict. VARVE_MISUSE with
                              `manager.strict` */
    bool may_repeat_steps; /* a step may be one that was done before the
                              resume */
    double drain_seconds;  /* how long the end waits until each level has the
                              last checkpoint that is due there; 0: 30; below 0:
                              for ever */
    int64_t
        last_step; /* the number of the last step of the loop: it is saved
                      when it is done, not by varve_run_end, and
                      varve_run_should_continue is false after it; 0: unknown */
    void *reserved[6];
} varve_run_options;

/* A run with an empty graph. `allocator` may be NULL and is copied. Never NULL:
 * when there is no memory at all the result is a run that only says so. */
VARVE_API varve_run *varve_run_new(const varve_allocator *allocator);

/* Its graph and the root of that, to add to, before the run is opened and
 * after; its manager, NULL until then. All are the run's. */
VARVE_API varve_graph *varve_run_graph(varve_run *run);
VARVE_API varve_node *varve_run_root(varve_run *run);
VARVE_API varve_manager *varve_run_manager(const varve_run *run);

/* Makes the manager of `directory`, once, and resumes as varve_manager_resume
 * does. What is added later is filled then. Writes nothing, and installs no
 * handler but with `handle_signals`.
 *
 * A checkpoint of another program fails the run with VARVE_UNMATCHED, as a read
 * of it does: one of which nothing matches, at no rank. */
VARVE_API void varve_run_open(
    varve_run *run, const char *directory, const varve_run_options *options);

/* Whether opening it restored something; else it has begun anew. */
VARVE_API bool varve_run_is_resumed(const varve_run *run);

/* The step that was resumed, which is done: the run goes on with the one after
 * it. 0 where it has begun anew. So this loop does each step once:
 *
 *     int64_t step = varve_run_resumed_step(run);
 *     while (step < end && varve_run_should_continue(run)) {
 *         ...
 *         varve_run_step(run, ++step);
 *     } */
VARVE_API int64_t varve_run_resumed_step(const varve_run *run);

/* Checks at once what the first step after a resume would check (see
 * varve_run_step), and whether building the graph failed. Call it after
 * varve_run_open, when the graph is complete and before the program acts on the
 * restored values: before it truncates a file or sends data to another program.
 *
 * Returns false if the check fails or if the run had failed before. The program
 * then changes nothing and calls varve_run_end, which returns the first
 * failure. Returns true if the run was not resumed and building the graph did
 * not fail. Values that are permitted to wait continue to wait
 * (varve_manager_finish_resume discards them). Of many processes each makes the
 * call, and it returns the same at each. A call before varve_run_open fails the
 * run.
 */
VARVE_API bool varve_run_check_resume(varve_run *run);

/* False once something failed, or it was asked to stop, or `last_step` was done
 * or resumed. One that was not opened fails by this.
 *
 * Of many processes (`comm` of the manager's options) each makes the same calls
 * of new, open, step and end, with the same options and steps. A stop that one
 * was asked for is one of all, after the same step: each step is one agreement
 * more than that of varve_manager_save, and only a step makes this false. */
VARVE_API bool varve_run_should_continue(varve_run *run);

/* A step is done: saves it if a save is due, if the run was asked to stop, or
 * if it is `last_step` or later and `skip_final_save` is not set.
 * With options as varve_manager_save_with. A save that fails, also one in the
 * background that is known by now, fails the run.
 *
 * The first step after a resume fails the run with VARVE_UNMATCHED, and saves
 * nothing, unless everything in the checkpoint was used and everything in the
 * program was restored (varve_manager_assert_consumed). So the program is built
 * by then. `manager.read->expect` permits what may be missing or unused,
 * varve_drop_pending gives values up, and `allow_partial` permits everything.
 *
 * A step that was done before the resume, which is one up to
 * varve_run_resumed_step, is VARVE_MISUSE unless `may_repeat_steps` is set: a
 * loop that is off by one would do it twice. */
VARVE_API void varve_run_step(varve_run *run, int64_t step);
VARVE_API void varve_run_step_with(
    varve_run *run, int64_t step, const varve_manager_save_options *options);

/* Asks it to stop: the step that is under way is its last, and is saved.
 * Async-signal-safe, for handlers of the program's own, and for any thread, as
 * long as the run is there. */
VARVE_API void varve_run_stop(varve_run *run);

/* Whether it was asked to stop, which ends the loop before its own end: a
 * program calls this after the loop and before varve_run_end, and ends with
 * another exit status than one that is finished. True also where the step that
 * was the last by that was the last of the program: compare the step. */
VARVE_API bool varve_run_was_stopped(const varve_run *run);

/* What went wrong beside it: the warning of the last save, or after opening
 * what was passed over, a line each; NULL: nothing. Valid until the next call
 * with this run. */
VARVE_API const char *varve_run_warning(const varve_run *run);

/* Ends a run and frees it, with its manager and its graph. Before that:
 *
 * - It checks a resume that no step has checked, as the first step would,
 *   unless the run was asked to stop.
 * - It saves the graph under the number of the last step, and with its metric,
 *   if nothing has failed, that step is not saved yet, and `skip_final_save` is
 *   not set or the run was asked to stop.
 * - It waits for saves in the background, and up to `drain_seconds` for the
 *   levels.
 *
 * It returns the first failure of the run. VARVE_TIMEOUT means that only a
 * level lacks the copy of a checkpoint, which is in the manager's directory.
 * VARVE_MISUSE for NULL.
 *
 * The save contains the values at the time of this call, not those at the last
 * step, and nothing can tell whether they differ. Set `last_step`: the last
 * step is saved when it is done, and nothing is saved here. If the number of
 * steps is unknown, set `force` in the options of varve_run_step_with at the
 * last one. A program that does neither must keep its memory valid until this
 * call, and must not change values or draw from a random stream of the graph
 * after its loop. */
VARVE_API varve_status varve_run_end(
    varve_run *run, varve_error *error) VARVE_MUST_CHECK;

/* Ends it without a last save, as where the program itself has failed in the
 * middle of a step: waits for what is in flight and frees all. Takes NULL. */
VARVE_API void varve_run_free(varve_run *run);

VARVE_END_DECLS

#endif
