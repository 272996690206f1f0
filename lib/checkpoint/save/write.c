/* write.c - Saves a graph with one process: at once, or on the background
 * thread.
 *
 * SPDX-License-Identifier: MIT
 */
#include "write.h"

#include <string.h>

#include <varve/job.h>

#include "allocator.h"
#include "background.h"
#include "failure.h"
#include "graph.h"
#include "overlap.h"
#include "save.h"
#include "save_plan_copy.h"
#include "save_plan_write.h"
#include "store.h"
#include "struct_look.h"
#include "try.h"
#include "write_options.h"

/* --- Saves ---------------------------------------------------------------- */

/* Implements varve_write and varve_save: gathers a save plan, then writes it.
 *
 * All steps that can fail without writing (callbacks, memory for the index)
 * come before the first byte is written. */

static varve_status check_root(
    varve_node *root, const char *path, const char *what, varve_error *error)
{
    if (root)
        VV_TRY(varve_graph_check(root->graph, error));
    if (!root || vv_is_nil(root) || !path)
        return vv_fail(error, VARVE_MISUSE, "node or %s is NULL", what);
    return VARVE_OK;
}

static varve_status write_look(varve_node *root, varve_error *error)
{
    VV_TRY(vv_structs_look(root, error));
    VV_TRY(varve_graph_check(root->graph, error));
    return vv_overlap_check(root, error);
}

varve_status vv_check_call(
    varve_node *root, const char *path, const char *what, varve_error *error)
{
    VV_TRY(check_root(root, path, what, error));
    return write_look(root, error);
}

varve_status vv_begin_save(
    varve_node *root, const char *path, const char *what, varve_error *error)
{
    VV_TRY(check_root(root, path, what, error));
    VV_TRY(vv_store_refuse(path, error));
    VV_TRY(vv_background_settle(root->graph, error));
    return write_look(root, error);
}

/* --- Requests ------------------------------------------------------------- */

struct vv_save_request vv_write_request(
    varve_node *root, const char *path, const varve_write_options *options)
{
    bool keeps = root && options && options->keep_counter;
    return (struct vv_save_request){
        .root = root,
        .target = path,
        .options = options,
        .counter = keeps ? varve_save_counter(root) : 0,
    };
}

struct vv_save_request vv_numbered_request(
    varve_node *root, const char *prefix, const varve_write_options *options)
{
    return (struct vv_save_request){
        .root = root,
        .target = prefix,
        .options = options,
        .is_numbered = true,
        .sets_counter = true,
    };
}

/* Reserves memory for the counter first, as nothing may fail once the file is
 * in place. */
varve_status vv_request_gather(const struct vv_save_request *r,
    struct vv_save_plan *save_plan, varve_error *error)
{
    if (r->is_numbered)
        VV_TRY(vv_check_numbered(r->options, "format", r->target, error));
    if (r->sets_counter && !vv_reserve_save_counter(r->root))
        return vv_fail_memory(error, "the counter of a checkpoint");
    VV_TRY(
        vv_save_plan_gather_of(save_plan, r->root, r->of, r->options, error));
    save_plan->options.no_replace |= r->is_numbered;
    save_plan->is_swept = r->is_swept;
    save_plan->counter = r->is_numbered ? vv_save_counter(r->root) : r->counter;
    return VARVE_OK;
}

/* --- Writing -------------------------------------------------------------- */

varve_status vv_saving_write_to(const struct vv_saving *s, varve_status status,
    const char *path, varve_error *error)
{
    if (s->way)
        return s->way->write(s->user, status, path, error);
    return status ? status : vv_save_plan_write(s->save_plan, path, error);
}

static varve_status write_named(
    const struct vv_saving *s, varve_status status, varve_error *error)
{
    if (s->path) {
        vv_buffer_add_string(s->path, s->target);
        vv_buffer_string(s->path);
        if (!status && s->path->failed)
            status = vv_fail_memory(error, "the name of a checkpoint");
    }
    return vv_saving_write_to(s, status, s->target, error);
}

varve_status vv_saving_write(
    const struct vv_saving *s, varve_status status, varve_error *error)
{
    /* The progress callback must not move or remove values. */
    enum vv_hold older = s->root ? vv_graph_hold(s->root->graph, VV_HOLDS_ALL)
                                 : VV_HOLDS_NOTHING;
    status = s->is_numbered ? vv_save_numbered(s, status, error)
                            : write_named(s, status, error);
    if (!s->root)
        return status;
    vv_graph_let_go(s->root->graph, older);
    /* The number may be in use, even if the outcome is unknown. */
    if (s->sets_counter && (!status || status == VARVE_UNKNOWN_OUTCOME))
        vv_set_save_counter(s->root, s->save_plan->counter);
    return status;
}

varve_status vv_save_now(const struct vv_save_request *r, varve_error *error)
{
    struct vv_save_plan save_plan;
    const struct vv_saving saving = {
        .save_plan = &save_plan,
        .target = r->target,
        .is_numbered = r->is_numbered,
        .sets_counter = r->sets_counter,
        .root = r->root,
    };
    VV_TRY(vv_begin_save(
        r->root, r->target, r->is_numbered ? "prefix" : "path", error));
    VV_TRY(vv_request_gather(r, &save_plan, error));
    varve_status status = vv_saving_write(&saving, VARVE_OK, error);
    vv_save_plan_clear(&save_plan);
    return status;
}

varve_status varve_write(varve_node *root, const char *path,
    const varve_write_options *options, varve_error *error)
{
    const struct vv_save_request r = vv_write_request(root, path, options);
    return vv_save_now(&r, error);
}

varve_status varve_save(varve_node *root, const char *prefix,
    const varve_write_options *options, varve_error *error)
{
    const struct vv_save_request r = vv_numbered_request(root, prefix, options);
    return vv_save_now(&r, error);
}

/* --- Asynchronous saves --------------------------------------------------- */

/* Starts asynchronous saves, and implements the functions of varve_job. */

enum { USUALLY_IN_FLIGHT = 2 };

/* --- Starting a job ------------------------------------------------------- */

static void job_release(varve_job *job)
{
    const varve_allocator a = job->context.allocator;
    vv_release_string(&a, job->target);
    vv_buffer_clear(&job->path);
    vv_release(&a, job, sizeof *job);
}

varve_job *vv_job_new(const struct vv_save_request *r, varve_error *error)
{
    const struct vv_context *context = &r->root->graph->context;
    varve_job *job = vv_allocate_zeroed(&context->allocator, sizeof *job);
    if (job) {
        job->context = *context;
        vv_buffer_init(&job->path, &job->context.allocator);
        job->target = vv_copy_string(&context->allocator, r->target);
    }
    if (job && job->target)
        return job;
    if (job)
        job_release(job);
    vv_fail_memory(error, "an asynchronous save");
    return NULL;
}

void vv_job_fill(varve_job *job, const struct vv_save_request *r)
{
    varve_write_options *o = &job->save_plan.options;
    job->progress = o->progress;
    job->progress_user = o->progress_user;
    o->progress = vv_background_progress;
    o->progress_user = job;
    job->root = r->root;
    job->is_numbered = r->is_numbered;
    job->sets_counter = r->sets_counter;
    job->is_private = r->is_private;
    atomic_store(&job->total, job->save_plan.columns.index.total);
}

static varve_status take_copy(
    struct vv_background *b, varve_job *job, varve_error *error)
{
    struct vv_save_plan *save_plan;
    size_t size = 0, at = 0;
    for (size_t i = 0; (save_plan = vv_job_save_plan(job, i)); i++)
        size += vv_save_plan_copy_size(save_plan);
    if (size && !job->block)
        job->block = vv_background_take(b, size);
    if (size && !job->block)
        return vv_fail_memory(error, "a copy of the values");
    unsigned char *bytes = size ? vv_block_bytes(job->block) : NULL;
    for (size_t i = 0; (save_plan = vv_job_save_plan(job, i)); i++) {
        size_t own = vv_save_plan_copy_size(save_plan);
        if (i >= job->detached)
            VV_TRY(
                vv_save_plan_detach(save_plan, own ? bytes + at : NULL, error));
        job->detached = i >= job->detached ? i + 1 : job->detached;
        at += own;
    }
    return VARVE_OK;
}

/* Finds the data that need not be copied. This is not possible while an earlier
 * save is being written, as that will be the base. It is of no use for
 * zero-copy saves, which copy later, when the program does not wait. In a save
 * by many processes only rank 0 reads the base, so it is not done either. */
static varve_status find_reusable(
    struct vv_background *b, varve_job *job, varve_error *error)
{
    struct vv_save_plan *save_plan = &job->save_plan;
    const varve_write_options *o = &save_plan->options;
    const char *base = o->increment.base ? o->increment.base : job->target;
    struct vv_buffer path;
    if (!save_plan->unchanged.past || o->async.zero_copy || job->part ||
        !vv_background_is_idle(b))
        return VARVE_OK;
    vv_buffer_init(&path, &job->context.allocator);
    if (job->is_numbered && !o->increment.base) {
        vv_find_numbered_base(&job->context, job->target, &path);
        base = path.size > 0 ? (const char *)path.data : NULL;
    }
    varve_status status =
        base ? vv_save_plan_find_reusable(save_plan, base, job->target, error)
             : VARVE_OK;
    vv_buffer_clear(&path);
    return status;
}

/* Makes the job independent of later changes of the values. Does nothing if
 * there is no thread: then the job is written before the call returns. */
varve_status vv_job_stage(
    struct vv_background *b, varve_job *job, varve_error *error)
{
    if (!vv_background_start(b))
        return VARVE_OK;
    const varve_write_options *o = &job->save_plan.options;
    varve_error reason = { 0 };
    varve_status status;
    vv_background_wait_below(
        b, o->async.in_flight ? o->async.in_flight : USUALLY_IN_FLIGHT);
    VV_TRY(find_reusable(b, job, error));
    do
        status = take_copy(b, job, &reason);
    while (status == VARVE_NO_MEMORY && vv_background_wait_for_oldest(b));
    if (status) {
        if (error)
            *error = reason;
        return status;
    }
    if (!o->async.zero_copy) {
        vv_job_copy(job);
        job->stage = VV_COPIED;
    }
    return VARVE_OK;
}

static varve_status job_begin(struct vv_background *b, varve_job *job,
    const struct vv_save_request *r, varve_error *error)
{
    VV_TRY(vv_request_gather(r, &job->save_plan, error));
    vv_job_fill(job, r);
    varve_status status = vv_job_stage(b, job, error);
    if (!status)
        vv_background_add(b, job);
    else
        vv_save_plan_clear(&job->save_plan);
    return status;
}

void vv_job_drop(struct vv_background *b, varve_job *job)
{
    vv_background_give(b, job->block);
    job_release(job);
}

varve_job *vv_save_start(const struct vv_save_request *r, varve_error *error)
{
    if (vv_check_call(r->root, r->target, "path", error) ||
        vv_store_refuse(r->target, error))
        return NULL;
    struct vv_background *b = vv_background_of(r->root->graph);
    if (!b) {
        vv_fail_memory(error, "asynchronous saves");
        return NULL;
    }
    if (vv_background_report(b, error))
        return NULL;
    varve_job *job = vv_job_new(r, error);
    if (job && job_begin(b, job, r, error)) {
        vv_job_drop(b, job);
        return NULL;
    }
    return job;
}

varve_job *varve_write_async(varve_node *root, const char *path,
    const varve_write_options *options, varve_error *error)
{
    const struct vv_save_request r = vv_write_request(root, path, options);
    return vv_save_start(&r, error);
}

varve_job *varve_save_async(varve_node *root, const char *prefix,
    const varve_write_options *options, varve_error *error)
{
    const struct vv_save_request r = vv_numbered_request(root, prefix, options);
    return vv_save_start(&r, error);
}

/* --- The functions of varve_job ------------------------------------------- */

bool varve_job_is_done(varve_job *job)
{
    struct vv_background *b = job ? vv_background_of_job(job) : NULL;
    return !b || vv_background_has_done(b, job);
}

varve_status varve_job_wait(varve_job *job, varve_error *error)
{
    if (!job)
        return vv_fail_none(error, "job", "a call");
    struct vv_background *b = vv_background_of_job(job);
    if (b)
        vv_background_wait(b, job);
    job->is_reported = true;
    if (job->error.status && error)
        *error = job->error;
    return job->error.status;
}

varve_status varve_job_wait_staged(varve_job *job, varve_error *error)
{
    if (!job)
        return vv_fail_none(error, "job", "a call");
    struct vv_background *b = vv_background_of_job(job);
    if (b)
        vv_background_wait_copied(b, job);
    return VARVE_OK;
}

void varve_job_cancel(varve_job *job)
{
    if (job)
        atomic_store(&job->is_cancelled, true);
}

void varve_job_progress(const varve_job *job, uint64_t *done, uint64_t *total)
{
    if (done)
        *done = job ? atomic_load(&((varve_job *)job)->written) : 0;
    if (total)
        *total = job ? atomic_load(&((varve_job *)job)->total) : 0;
}

const char *varve_job_path(varve_job *job)
{
    return job && varve_job_is_done(job) && job->path.size
               ? (const char *)job->path.data
               : NULL;
}

void varve_job_free(varve_job *job)
{
    if (!job)
        return;
    struct vv_background *b = vv_background_of_job(job);
    if (b) {
        vv_background_wait(b, job);
        vv_background_remove(b, job);
    }
    job_release(job);
}
