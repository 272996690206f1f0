/* arrival.c - Matches, checks and transfers values until none is due.
 *
 * SPDX-License-Identifier: MIT
 */
#include "arrival.h"

#include <varve/rank_local.h>

#include "allocator.h"
#include "delivery_state.h"
#include "dispatch.h"
#include "failure.h"
#include "match.h"
#include "own_part.h"
#include "private.h"
#include "reader.h"
#include "transfer.h"
#include "try.h"

/* --- Rank-local data of other ranks --------------------------------------- */

/* Passes the rank-local data of another number of processes to callbacks of the
 * program (varve/rank_local.h). */

static varve_status fold_fail(const char *path, varve_status status,
    const varve_error *reason, varve_error *error)
{
    if (reason->message[0] != '\0')
        vv_fail_because(error, reason, "%s: its merge callback failed", path);
    else
        vv_fail(error, VARVE_PARTIALLY_RESTORED,
            "%s: its merge callback failed with %s", path,
            varve_status_name(status));
    if (error)
        error->status = VARVE_PARTIALLY_RESTORED;
    vv_error_add_line(
        error, "partially restored: other variables have new values");
    return VARVE_PARTIALLY_RESTORED;
}

struct folding {
    struct varve_restoration *r;
    varve_reader *reader;
    struct vv_saved_paths paths;
    struct vv_buffer path;
};

static varve_status fold_fold(
    struct folding *f, const struct vv_pair *pair, varve_error *error)
{
    const varve_rank_local_options *o = &vv_private_of(pair->node)->options;
    varve_error reason = { 0 };
    vv_saved_path(&f->paths, pair->file, vv_emptied(&f->path));
    const char *path = vv_buffer_string(&f->path);
    if (f->path.failed)
        return vv_fail_memory(error, "the path of a private node");
    varve_node *mine = vv_private_mine(pair->node);
    if (!mine)
        return VARVE_OK; /* the program has removed it */
    varve_status status = o->merge(o->merge_user, mine, f->reader, path,
        vv_own_count(vv_index_of(&f->r->pairing), pair->file), &reason);
    return status ? fold_fail(path, status, &reason, error) : VARVE_OK;
}

static varve_status fold_each(struct folding *f, varve_error *error)
{
    struct vv_pair pair;
    varve_status status = VARVE_OK;
    while (!status && vv_take_fold(&f->r->delivery, &pair)) {
        status = fold_fold(f, &pair, error);
        if (status)
            vv_put_fold(&f->r->delivery, &pair);
    }
    return status;
}

static varve_status fold_all(struct varve_restoration *r, varve_error *error)
{
    const struct vv_context *context = &r->pairing.context;
    struct folding f = { .r = r };
    VV_TRY(vv_saved_paths_begin(
        &f.paths, &context->allocator, vv_index_of(&r->pairing), 0, error));
    vv_buffer_init(&f.path, &context->allocator);
    f.reader = vv_reader_over(context, &r->file, error);
    varve_status status = f.reader ? fold_each(&f, error) : VARVE_NO_MEMORY;
    varve_reader_free(f.reader);
    vv_buffer_clear(&f.path);
    vv_saved_paths_end(&f.paths);
    return status;
}

/* Calls the callbacks that are due. Values have been delivered before, and the
 * other processes have agreed. A callback that fails is due again. */
static varve_status arrival_fold(
    struct varve_restoration *r, varve_error *error)
{
    if (r->delivery.folds.pairs.size == 0)
        return VARVE_OK;
    VV_TRY(vv_delivery_exchange_status(&r->delivery, VARVE_OK, error));
    return fold_all(r, error);
}

/* --- Delivery ------------------------------------------------------------- */

varve_status vv_fail_run_out(
    const struct varve_restoration *r, varve_error *error)
{
    const varve_error *why =
        r->pairing.failure.status ? &r->pairing.failure : &r->delivery.failure;
    if (error)
        *error = *why;
    return why->status;
}

static bool arrival_has_more(const struct varve_restoration *r)
{
    return vv_work_queue_is_due(&r->matching.work_queue) ||
           (r->delivery.jobs.pairs.size && !r->pairing.is_dry);
}

varve_status vv_arrive(struct varve_restoration *r, varve_error *error)
{
    varve_status status = VARVE_OK;
    r->is_busy = true;
    enum vv_hold older = vv_graph_hold(r->pairing.graph, VV_HOLDS_NODES);
    do {
        vv_match_queue(&r->matching);
        vv_leave_out_others(&r->delivery);
        if (!r->matching.is_open) /* later calls need little room */
            vv_work_queue_shrink(&r->matching.work_queue);
        if (vv_has_run_out(r) && !r->matching.is_open)
            break; /* fails before anything is delivered */
        if (!r->pairing.is_dry)
            status = vv_deliver(&r->delivery, error);
        if (!status && !arrival_has_more(r))
            status = arrival_fold(r, error);
    } while (!status && arrival_has_more(r));
    if (!status && vv_has_run_out(r))
        status = vv_fail_run_out(r, error);
    if (status)
        vv_delivery_park_failed(&r->delivery, r->matching.is_open);
    r->delivery.has_new_mismatch = false;
    vv_graph_let_go(r->pairing.graph, older);
    r->is_busy = false;
    vv_delivery_check(&r->delivery);
    return status;
}

/* --- Verification before the delivery ------------------------------------- */

/* Returns true if delivering a job reads and verifies the complete value. */
static bool will_be_verified(
    const struct vv_delivery *d, const struct vv_pair *job)
{
    return job->node->variable && !vv_part_of(job->node) &&
           vv_is_alike(d->pairing, job->node, job->file) &&
           !d->options->no_verify && !d->options->map &&
           !d->options->salvage.on;
}

/* Verifies all values, or those that the jobs do not read completely. */
static varve_status verify_rest(
    struct vv_delivery *d, bool all, varve_error *error)
{
    const varve_allocator *a = &d->pairing->context.allocator;
    uint32_t values = vv_index_of(d->pairing)->value_count;
    size_t count, rest_count = 0;
    const struct vv_pair *jobs = vv_pairs(&d->jobs, &count);
    struct vv_pair *rest = vv_allocate_zeroed(a, values * sizeof *rest);
    if (!rest)
        return values ? vv_fail_memory(error, "a restoration") : VARVE_OK;
    for (size_t i = 0; i < count && !all; i++) {
        if (will_be_verified(d, &jobs[i]))
            rest[jobs[i].file].node = jobs[i].node;
    }
    for (uint32_t v = 0; v < values; v++) {
        if (!rest[v].node && vv_index_is_saved(vv_index_of(d->pairing), v))
            rest[rest_count++].file = v;
        rest[v].node = NULL;
    }
    varve_status status = vv_transfer_verify(d, rest, rest_count, error);
    vv_release(a, rest, values * sizeof *rest);
    return status;
}

varve_status vv_verify_ahead(
    struct varve_restoration *r, bool all, varve_error *error)
{
    varve_progress *progress = r->pairing.selection.options.progress;
    if (vv_has_run_out(r))
        return VARVE_OK;
    r->pairing.selection.options.progress = NULL; /* it counts the delivery
                                                     only */
    varve_status status = verify_rest(&r->delivery, all, error);
    r->pairing.selection.options.progress = progress;
    if (all)
        vv_note_passes(&r->delivery, true);
    return status;
}
