/* write_calls.c - Defines each public call that writes, as part of a session.
 *
 * SPDX-License-Identifier: MIT
 */
#include "writes.h"

#include "repack.h"
#include "run.h"

#define FILE_PATH "run/a"
#define PREFIX "run/ckpt"

static void note_path(struct session *s, const char *path)
{
    snprintf(s->path, sizeof s->path, "%s", path ? path : "");
}

static void note_latest(struct session *s)
{
    snprintf(s->path, sizeof s->path, PREFIX "-%d.varve",
        (int)varve_save_counter(s->root));
}

static varve_status finish(struct session *s, varve_job *job)
{
    varve_status status = s->error.status;
    atomic_store(&s->trial->is_returned, true);
    if (job) {
        status = varve_job_wait(job, &s->error);
        note_path(s, varve_job_path(job));
    }
    varve_job_free(job);
    return status;
}

/* --- Functions ------------------------------------------------------------ */

static varve_status by_write(const struct write_call *c, struct session *s,
    const varve_write_options *o)
{
    note_path(s, FILE_PATH);
    return c->is_of_many
               ? varve_write_all(s->comm, s->root, FILE_PATH, o, &s->error)
               : varve_write(s->root, FILE_PATH, o, &s->error);
}

static varve_status by_save(const struct write_call *c, struct session *s,
    const varve_write_options *o)
{
    varve_status status =
        c->is_of_many ? varve_save_all(s->comm, s->root, PREFIX, o, &s->error)
                      : varve_save(s->root, PREFIX, o, &s->error);
    note_latest(s);
    return status;
}

static varve_job *start_write(
    struct session *s, const varve_write_options *o, varve_error *error)
{
    return s->comm ? varve_write_all_async(
                         s->comm, s->root, FILE_PATH, o, error)
                   : varve_write_async(s->root, FILE_PATH, o, error);
}

static varve_job *start_save(
    struct session *s, const varve_write_options *o, varve_error *error)
{
    return s->comm ? varve_save_all_async(s->comm, s->root, PREFIX, o, error)
                   : varve_save_async(s->root, PREFIX, o, error);
}

static varve_status by_job(const struct write_call *c, struct session *s,
    const varve_write_options *o)
{
    return finish(s, c->start(s, o, &s->error));
}

static varve_status by_snapshot(const struct write_call *c, struct session *s,
    const varve_write_options *o)
{
    (void)c;
    varve_snapshot *snapshot = varve_snapshot_new(s->root, &s->error);
    varve_status status = s->error.status;
    note_path(s, FILE_PATH);
    if (snapshot)
        status = varve_snapshot_write(snapshot, FILE_PATH, o, &s->error);
    varve_snapshot_free(snapshot);
    return status;
}

static varve_status by_repack(const struct write_call *c, struct session *s,
    const varve_write_options *o)
{
    static const varve_write_options incremental = { .incremental = true,
        .no_sync = true };
    (void)c;
    note_path(s, FILE_PATH);
    varve_status status =
        varve_write(s->root, "run/b.varve", &incremental, &s->error);
    return status ? status
                  : vv_repack(&s->trial->disk.context, "run/b.varve", FILE_PATH,
                        o, &s->error);
}

/* --- Handles -------------------------------------------------------------- */

static varve_manager_options options_of(const struct write_call *c,
    const struct session *s, const varve_write_options *o)
{
    static const varve_level levels[] = { { .directory = "far" } };
    static const varve_redundancy redundancy = { .scheme = VARVE_XOR,
        .group_size = 2 };
    return (varve_manager_options){ .write = o,
        .keep_last = 5,
        .async = c->is_async,
        .number_by_step = c->by_step,
        .comm = s->comm,
        .redundancy = c->has_nodes ? &redundancy : NULL,
        .levels = c->has_levels ? levels : NULL,
        .level_count = c->has_levels,
        .may_start_new_run = true,
        .run = "options" };
}

/* Saves and waits. The manager returns the path written by its last call. */
static varve_status save_managed(
    struct session *s, varve_manager *m, int64_t step)
{
    varve_status status = varve_manager_save(m, step, &s->error);
    atomic_store(&s->trial->is_returned, true);
    if (!status)
        status = varve_manager_wait(m, &s->error);
    note_path(s, varve_manager_saved(m));
    return status;
}

/* Returns a warning as an error. Other ranks may have no warning. */
static varve_status take_warning(struct session *s, varve_manager *m)
{
    if (!varve_manager_warning(m))
        return VARVE_OK;
    snprintf(s->error.message, sizeof s->error.message, "warning: %s",
        varve_manager_warning(m));
    return VARVE_IO;
}

static varve_status by_manager(const struct write_call *c, struct session *s,
    const varve_write_options *o)
{
    const varve_manager_options options = options_of(c, s, o);
    varve_manager *m =
        varve_manager_new(s->root, "run", &options, &s->error);
    varve_status status =
        m ? save_managed(s, m, s->step) : s->error.status;
    if (!status && c->has_levels)
        status = varve_manager_drain(m, 10, &s->error);
    if (!status)
        status = take_warning(s, m);
    varve_manager_free(m);
    return status;
}

/* Opens and ends a run. A run reads its options when it is opened, and its
 * write options at each save; without a save this shows the former. */
static varve_status try_to_open(
    const struct write_call *c, struct session *s, const varve_write_options *o)
{
    varve_run_options options = { .manager = options_of(c, s, o),
        .skip_final_save = true };
    varve_run *run = vv_run_new_in(&s->trial->disk.context);
    varve_run_open(run, "other", &options);
    return varve_run_end(run, &s->error);
}

static varve_status by_run(const struct write_call *c, struct session *s,
    const varve_write_options *o)
{
    varve_run_options options = { .manager = options_of(c, s, &s->write),
        .skip_final_save = true };
    varve_status status = try_to_open(c, s, o);
    if (status)
        return status;
    s->write = *o;
    if (!varve_run_manager(s->run))
        varve_run_open(s->run, "run", &options);
    varve_run_step(s->run, ++s->step);
    varve_manager *m = varve_run_manager(s->run);
    if (!varve_run_should_continue(s->run)) {
        status = varve_run_end(s->run, &s->error);
        s->run = NULL;
        s->graph = NULL;
        return status;
    }
    note_path(s, varve_manager_saved(m));
    return VARVE_OK;
}

static varve_status by_saver(const struct write_call *c, struct session *s,
    const varve_write_options *o)
{
    varve_saver_options options = { .async = c->is_async, .comm = s->comm };
    varve_saver_save_options how = { .has_step = c->is_numbered,
        .step = (uint64_t)s->step,
        .write = o };
    if (!s->saver) {
        s->saver = varve_saver_new(s->graph, &options, &s->error);
        if (!s->saver ||
            varve_saver_add_under(s->saver, "", s->root, &s->error))
            return s->error.status;
    }
    varve_status status = varve_saver_save(s->saver, PREFIX, &how, &s->error);
    atomic_store(&s->trial->is_returned, true);
    if (!status)
        status = varve_saver_wait(s->saver, &s->error);
    note_path(s, varve_saver_latest(s->saver));
    return status;
}

/* --- All of them ---------------------------------------------------------- */

#define MANAGER .taker = "varve_manager_options.write", .save = by_manager
#define SAVER .taker = "varve_saver_save_options.write", .save = by_saver

const struct write_call write_calls[] = {
    { "varve_write", "varve_write", .save = by_write },
    { "varve_save", "varve_save", .save = by_save, .is_numbered = true },
    { "varve_write_async", "varve_write_async", .save = by_job,
        .is_async = true, .start = start_write },
    { "varve_save_async", "varve_save_async", .save = by_job, .is_async = true,
        .is_numbered = true, .start = start_save },
    { "varve_write_all", "varve_write_all", .save = by_write,
        .is_of_many = true },
    { "varve_save_all", "varve_save_all", .save = by_save, .is_of_many = true,
        .is_numbered = true },
    { "varve_write_all_async", "varve_write_all_async", .save = by_job,
        .is_of_many = true, .is_async = true, .start = start_write },
    { "varve_save_all_async", "varve_save_all_async", .save = by_job,
        .is_of_many = true, .is_async = true, .is_numbered = true,
        .start = start_save },
    { "manager", MANAGER, .is_numbered = true },
    { "manager, by step", MANAGER, .is_numbered = true, .by_step = true },
    { "manager, async", MANAGER, .is_numbered = true, .is_async = true },
    { "manager, levels", MANAGER, .is_numbered = true, .has_levels = true },
    { "manager, comm", MANAGER, .is_numbered = true, .is_of_many = true },
    { "manager, comm, by step", MANAGER, .is_numbered = true,
        .is_of_many = true, .by_step = true },
    { "manager, comm, async", MANAGER, .is_numbered = true, .is_of_many = true,
        .is_async = true },
    { "manager, comm, levels", MANAGER, .is_numbered = true,
        .is_of_many = true, .has_levels = true },
    { "manager, redundancy", MANAGER, .is_numbered = true, .is_of_many = true,
        .has_nodes = true },
    { "manager, redundancy, levels", MANAGER, .is_numbered = true,
        .is_of_many = true, .has_nodes = true, .has_levels = true },
    { "manager, run", .taker = "varve_manager_options.write", .save = by_run,
        .is_numbered = true, .is_run = true },
    { "saver", SAVER },
    { "saver, step", SAVER, .is_numbered = true },
    { "saver, async", SAVER, .is_async = true },
    { "saver, comm", SAVER, .is_of_many = true },
    { "saver, comm, step", SAVER, .is_of_many = true, .is_numbered = true },
    { "saver, comm, async", SAVER, .is_of_many = true, .is_async = true },
    { "varve_snapshot_write", "varve_snapshot_write", .save = by_snapshot },
    { "varve_repack", "varve_repack", .save = by_repack },
};
const size_t write_call_count = sizeof write_calls / sizeof *write_calls;
