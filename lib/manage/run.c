/* run.c - Combines a graph, a manager and the first error in one handle. Except
 * for memory, signals and collective operations, it calls public functions
 * only.
 *
 * SPDX-License-Identifier: MIT
 */
#include "run.h"

#include <inttypes.h>
#include <stdatomic.h>

#include <varve/restoration.h>
#include <varve/collective.h>

#include "allocator.h"
#include "comm_collectives.h"
#include "default_allocator.h"
#include "failure.h"
#include "graph.h"
#include "hand_over.h"
#include "manager.h"
#include "manager_together.h"
#include "resume_match.h"
#include "stop_signals.h"
#include "store.h"
#include "try.h"

enum { USUAL_DRAIN_SECONDS = 30 };

struct varve_run {
    varve_allocator allocator;
    varve_graph *graph;
    varve_manager *manager; /* NULL: not opened */
    const varve_comm *comm; /* vv_comm_alone: one process, or not opened */
    varve_error failure;    /* the first */
    varve_error warning;    /* of the resume */
    atomic_bool is_asked;   /* this process was asked to stop */
    bool is_stopping;       /* all ranks have agreed to stop */
    bool is_resumed;
    bool heeds_signals;
    bool is_async;
    bool skip_final_save;
    bool may_repeat_steps;
    int64_t resumed_step; /* negative: unknown, or not resumed */
    int64_t last_step;    /* from the options */
    double drain_seconds;
    bool is_unsaved; /* the last step is not saved */
    bool is_dropped; /* by varve_run_free: waits for nothing */
    int64_t step;    /* the last */
    bool has_metric;
    double metric; /* its */
};

/* Replaces a run for which there was no memory. It is never changed. */
static varve_run no_run;

static bool is_run(const varve_run *run)
{
    return run && run != &no_run;
}

/* --- Beginning ---------------------------------------------------------- */

varve_run *vv_run_new_in(const struct vv_context *context)
{
    varve_run *run = vv_allocate_zeroed(&context->allocator, sizeof *run);
    if (!run)
        return &no_run;
    run->allocator = context->allocator;
    run->comm = &vv_comm_alone;
    run->graph = vv_graph_new_in(context);
    atomic_init(&run->is_asked, false);
    return run;
}

varve_run *varve_run_new(const varve_allocator *allocator)
{
    const struct vv_context context = {
        .allocator = vv_allocator_or_default(allocator),
        .system = vv_default_system(),
    };
    return vv_run_new_in(&context);
}

static void *give_nothing(
    void *user, void *old, size_t old_size, size_t new_size)
{
    (void)user;
    (void)old;
    (void)old_size;
    (void)new_size;
    return NULL;
}

varve_graph *varve_run_graph(varve_run *run)
{
    const varve_allocator none = { .function = give_nothing };
    if (!run)
        return NULL;
    return is_run(run) ? run->graph : varve_graph_new(&none);
}

varve_node *varve_run_root(varve_run *run)
{
    return varve_graph_root(varve_run_graph(run));
}

varve_manager *varve_run_manager(const varve_run *run)
{
    return run ? run->manager : NULL;
}

/* --- Opening ------------------------------------------------------------ */

static varve_status check_run(const varve_run *run, varve_error *error)
{
    if (!run)
        return vv_fail(error, VARVE_MISUSE, "run is NULL");
    return is_run(run) ? VARVE_OK : vv_fail_memory(error, "a run");
}

/* Checks for errors that can occur on one rank only. */
static varve_status run_prepare(
    varve_run *run, const varve_run_options *o, varve_error *error)
{
    VV_TRY(check_run(run, error));
    if (run->failure.status)
        return vv_hand_over(run->failure.status, &run->failure, error);
    if (run->manager)
        return vv_fail(
            error, VARVE_MISUSE, "varve_run_open: the run is already open");
    VV_TRY(VV_CHECK_OPTIONS(o, error));
    if (o->handle_signals && !vv_stop_signals_heed(&run->is_asked))
        return vv_fail(error, VARVE_MISUSE,
            "varve_run_open: another run in this process already handles "
            "signals");
    run->heeds_signals = o->handle_signals;
    if (o->last_step < 0)
        return vv_fail(error, VARVE_MISUSE,
            "varve_run_open: `last_step` must not be negative (0 if it is "
            "unknown), found %" PRId64,
            o->last_step);
    if (o->allow_partial && o->manager.strict)
        return vv_fail(error, VARVE_MISUSE,
            "varve_run_open: `allow_partial` and `manager.strict` exclude each "
            "other");
    return VARVE_OK;
}

static void note_passed_over(varve_run *run, const char *directory)
{
    size_t count = 0;
    const char *line;
    while (varve_manager_skipped(run->manager, count))
        count++;
    if (count == 0)
        return;
    vv_fail(&run->warning, VARVE_CORRUPT,
        "%s: skipped %zu unusable checkpoint%s and %s", directory, count,
        vv_plural_s(count),
        run->is_resumed ? "resumed from an older one"
                        : "started from the beginning");
    for (size_t i = 0; (line = varve_manager_skipped(run->manager, i)); i++)
        vv_error_add_line(&run->warning, "%s", line);
}

/* Returns the step of the resumed checkpoint. A file of another program may
 * have none. */
static int64_t step_of(const varve_restoration *found)
{
    const varve_metadata *step = varve_restoration_metadata(found, VV_STEP_KEY);
    return step && step->kind == VARVE_METADATA_INTEGER ? step->integer : -1;
}

static varve_status run_resume(varve_run *run, const char *directory,
    const varve_run_options *o, varve_error *error)
{
    varve_manager_options own = o->manager;
    own.strict = !o->allow_partial;
    run->manager =
        varve_manager_new(varve_run_root(run), directory, &own, error);
    if (!run->manager)
        return error->status;
    run->may_repeat_steps = o->may_repeat_steps;
    run->comm = vv_comm_or_alone(o->manager.comm);
    run->is_async = o->manager.async;
    run->skip_final_save = o->skip_final_save;
    run->last_step = o->last_step;
    run->drain_seconds =
        o->drain_seconds != 0 ? o->drain_seconds : (double)USUAL_DRAIN_SECONDS;
    VV_TRY(varve_manager_resume(run->manager, error));
    run->is_resumed = varve_manager_restoration(run->manager) != NULL;
    run->resumed_step = step_of(varve_manager_restoration(run->manager));
    note_passed_over(run, directory);
    return VARVE_OK;
}

void varve_run_open(
    varve_run *run, const char *directory, const varve_run_options *options)
{
    static const varve_run_options usual;
    const varve_run_options *o = options ? options : &usual;
    varve_error reason = { 0 };
    varve_status status = run_prepare(run, o, &reason);
    status = varve_agree(vv_comm_or_alone(o->manager.comm), status, &reason);
    if (!is_run(run))
        return;
    if (!status)
        status = run_resume(run, directory, o, &reason);
    vv_hand_over(status, &reason, &run->failure);
}

bool varve_run_is_resumed(const varve_run *run)
{
    return run && run->is_resumed;
}

int64_t varve_run_resumed_step(const varve_run *run)
{
    return run && run->resumed_step > 0 ? run->resumed_step : 0;
}

const char *varve_run_warning(const varve_run *run)
{
    const char *late = varve_manager_warning(varve_run_manager(run));
    return late                         ? late
           : run && run->warning.status ? run->warning.message
                                        : NULL;
}

/* --- Steps -------------------------------------------------------------- */

/* Returns true if the run is open and has no error. A run that is not open gets
 * one. */
static bool is_well(varve_run *run)
{
    if (!is_run(run) || run->failure.status)
        return false;
    if (!run->manager)
        vv_fail(&run->failure, VARVE_MISUSE,
            "run: varve_run_open has not been called");
    return run->manager != NULL;
}

bool varve_run_check_resume(varve_run *run)
{
    varve_error reason = { 0 };
    if (!is_well(run))
        return false;
    varve_status status = varve_graph_check(run->graph, &reason);
    status = vv_manager_agree(run->manager, status, &reason);
    if (!status)
        status = vv_resume_match_require(run->manager, &reason);
    vv_hand_over(status, &reason, &run->failure);
    return !status;
}

bool varve_run_was_stopped(const varve_run *run)
{
    if (!is_run(run))
        return false;
    return run->is_stopping || (vv_is_alone(run->comm) &&
                                   atomic_load(&((varve_run *)run)->is_asked));
}

/* Returns true if a step is the last of the loop or follows it. */
static bool is_last(const varve_run *run, int64_t step)
{
    return run->last_step > 0 && step >= run->last_step;
}

bool varve_run_should_continue(varve_run *run)
{
    if (!is_well(run) || run->is_stopping || is_last(run, run->step) ||
        is_last(run, run->resumed_step))
        return false;
    return !vv_is_alone(run->comm) || !atomic_load(&run->is_asked);
}

/* Of many processes an agreement. */
static bool is_to_stop(varve_run *run)
{
    run->is_stopping |= varve_any(run->comm, atomic_load(&run->is_asked));
    return run->is_stopping;
}

/* Returns true if the step was saved before or was resumed. */
static bool is_saved_step(const varve_run *run)
{
    const struct vv_interval *interval = &run->manager->interval;
    return interval->has_last && interval->last_step == run->step;
}

static void run_save(varve_run *run, const varve_manager_save_options *options)
{
    varve_error reason = { 0 };
    bool is_begun =
        options->force || varve_manager_is_due(run->manager, run->step);
    varve_status status =
        varve_manager_save_with(run->manager, run->step, options, &reason);
    vv_hand_over(status, &reason, &run->failure);
    run->is_unsaved =
        status || !(varve_manager_saved(run->manager) ||
                      (run->is_async && is_begun) || is_saved_step(run));
    if (varve_manager_saved(run->manager))
        run->warning.status =
            VARVE_OK; /* the warning of the resume is obsolete */
}

static varve_status check_step(
    const varve_run *run, int64_t step, varve_error *error)
{
    if (!run->is_resumed || run->may_repeat_steps || step > run->resumed_step)
        return VARVE_OK;
    return vv_fail(error, VARVE_MISUSE,
        "varve_run_step: step %" PRId64
        " was already done: the run resumed from step %" PRId64
        ": continue with step %" PRId64
        " (varve_run_resumed_step + 1), or set `may_repeat_steps`",
        step, run->resumed_step, run->resumed_step + 1);
}

/* Collective with several processes, including the request to stop. The resume
 * is checked first, because a difference can be the reason why the program
 * repeats a step. */
static bool may_take_step(varve_run *run, int64_t step)
{
    varve_error reason = { 0 };
    bool is_asked = atomic_load(&run->is_asked);
    varve_status status = vv_resume_match_require(run->manager, &reason);
    if (!status) {
        status = check_step(run, step, &reason);
        status = vv_manager_any(run->manager, status, &is_asked, &reason);
        run->is_stopping |= !status && is_asked;
    }
    vv_hand_over(status, &reason, &run->failure);
    return !status;
}

void varve_run_step_with(
    varve_run *run, int64_t step, const varve_manager_save_options *options)
{
    varve_manager_save_options own = { 0 };
    if (!is_well(run) || !may_take_step(run, step))
        return;
    if (options)
        own = *options;
    own.force |=
        run->is_stopping || (is_last(run, step) && !run->skip_final_save);
    run->step = step;
    run->has_metric = own.has_metric;
    run->metric = own.metric;
    run_save(run, &own);
}

void varve_run_step(varve_run *run, int64_t step)
{
    varve_run_step_with(run, step, NULL);
}

void varve_run_stop(varve_run *run)
{
    if (is_run(run))
        atomic_store(&run->is_asked, true);
}

/* --- The end ------------------------------------------------------------ */

static void save_last(varve_run *run)
{
    const varve_manager_save_options last = {
        .has_metric = run->has_metric,
        .metric = run->metric,
        .force = true,
    };
    if (run->is_unsaved && (is_to_stop(run) || !run->skip_final_save))
        run_save(run, &last);
}

/* Checks a resume after which no step was made. If the run stopped before the
 * program was built, the check is omitted. */
static void check_unstepped(varve_run *run)
{
    varve_error reason = { 0 };
    if (run->is_dropped || !run->manager->resumed.is_unchecked ||
        is_to_stop(run))
        return;
    varve_status status = vv_resume_match_require(run->manager, &reason);
    vv_hand_over(status, &reason, &run->failure);
}

static void run_finish(varve_run *run)
{
    varve_error reason = { 0 };
    varve_status status = VARVE_OK;
    if (!run->failure.status && run->manager)
        check_unstepped(run);
    if (!run->failure.status && run->manager)
        save_last(run);
    if (run->manager)
        status = varve_manager_wait(run->manager, &reason);
    if (!status && !run->failure.status && run->manager && !run->is_dropped)
        status = varve_manager_drain(run->manager, run->drain_seconds, &reason);
    if (!status)
        status = varve_graph_check(run->graph, &reason);
    if (!run->failure.status)
        vv_hand_over(status, &reason, &run->failure);
}

static void run_end(varve_run *run, varve_error *error)
{
    run_finish(run);
    if (run->heeds_signals)
        vv_stop_signals_leave();
    varve_manager_free(run->manager);
    varve_graph_free(run->graph);
    *error = run->failure;
    const varve_allocator a = run->allocator;
    vv_release(&a, run, sizeof *run);
}

varve_status varve_run_end(varve_run *run, varve_error *error)
{
    varve_error first;
    VV_TRY(check_run(run, error));
    run_end(run, &first);
    return vv_hand_over(first.status, &first, error);
}

void varve_run_free(varve_run *run)
{
    varve_error first;
    if (!is_run(run))
        return;
    run->is_unsaved = false;
    run->is_dropped = true;
    run_end(run, &first);
}
