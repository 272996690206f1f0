/* job_together.c - Starts asynchronous collective saves, and implements the
 * part of this rank.
 *
 * SPDX-License-Identifier: MIT
 */
#include "job_together.h"

#include <varve/collective.h>

#include "allocator.h"
#include "comm_collectives.h"
#include "failure.h"
#include "save_plan_copy.h"
#include "save_plan_digests.h"
#include "save_together.h"
#include "store.h"
#include "try.h"
#include "write.h"

/* --- The communicator of the background thread ---------------------------- */

varve_status vv_check_duplicates(const varve_comm *comm, varve_error *error)
{
    return comm->duplicate || vv_is_alone(comm)
               ? VARVE_OK
               : vv_fail(error, VARVE_MISUSE,
                     "asynchronous saves need a communicator with `duplicate`");
}

static varve_status job_together_duplicate(
    struct vv_background *b, const varve_comm *comm, varve_error *error)
{
    vv_background_release_copy(b);
    varve_status status = comm->duplicate(comm->self, &b->copy);
    b->comm = comm;
    if (status == VARVE_MISUSE)
        return vv_fail(error, status,
            "asynchronous saves need a communicator that another thread may "
            "call (with MPI: MPI_THREAD_MULTIPLE)");
    return status ? vv_fail(error, status,
                        "the communicator could not be duplicated for "
                        "asynchronous saves")
                  : VARVE_OK;
}

/* All ranks duplicate the communicator if any rank has no usable copy. Jobs in
 * flight are finished first, with the previous copy. */
varve_status vv_keep_duplicate(const varve_comm *comm, varve_status status,
    varve_graph *graph, varve_error *error)
{
    if (vv_is_alone(comm))
        return status;
    struct vv_background *b = status ? NULL : vv_background_of(graph);
    uint64_t lacks = b && vv_background_lacks_copy(b, comm);
    if (!status && !b)
        status = vv_fail_memory(error, "asynchronous saves");
    if (!status)
        status = vv_check_duplicates(comm, error);
    VV_TRY(vv_agree(comm, status, error));
    VV_TRY(vv_comm_allreduce_max(comm, &lacks, error));
    if (!lacks)
        return VARVE_OK;
    while (vv_background_wait_for_oldest(b))
        continue;
    return vv_agree(comm, job_together_duplicate(b, comm, error), error);
}

/* --- The part of a rank --------------------------------------------------- */

/* The part of this rank. A rank copies only those bytes of a large replicated
 * value that it will write. So the digests of such values are computed from the
 * program's memory before the copy. */
struct part {
    struct vv_job_part job;
    struct vv_save_together save;
    uint8_t *is_early; /* for each value: its digest is computed before the
                          copy */
    bool has_early;    /* those digests were computed */
    varve_error error; /* error of computing these digests */
};

/* Narrows the range of a replicated value to the bytes that this rank writes.
 * Shards and small values are needed as a whole. */
static void find_needed(
    const void *user, uint32_t value, uint64_t *begin, uint64_t *end)
{
    const struct part *p = user;
    size_t count;
    const struct vv_part *parts = vv_parts(&p->save.share, &count);
    if (!p->is_early[value])
        return;
    *end = *begin;
    for (size_t low = 0, high = count; low < high && *begin == *end;) {
        const struct vv_part *middle = &parts[low + (high - low) / 2];
        bool is_later =
            middle->save_plan != p->save.save_plan || middle->value > value;
        if (!is_later && middle->value == value) {
            *begin = middle->begin;
            *end = middle->begin + middle->size;
        } else if (is_later) {
            high = (size_t)(middle - parts);
        } else {
            low = (size_t)(middle - parts) + 1;
        }
    }
}

static bool is_early(const void *user, size_t value)
{
    return ((const struct part *)user)->is_early[value];
}

static bool is_late(const void *user, size_t value)
{
    return !is_early(user, value);
}

static void job_together_before_copy(struct vv_job_part *part)
{
    struct part *p = (struct part *)part;
    p->error.status =
        vv_recall_digests(p->save.save_plan, is_early, p, &p->error);
    p->has_early = true;
}

/* Computes the digests that were not computed before the copy, or all if
 * nothing was copied. */
static varve_status digest_rest(struct part *p, varve_error *error)
{
    varve_status status = p->error.status;
    if (status)
        *error = p->error;
    else
        status = vv_recall_digests(
            p->save.save_plan, p->has_early ? is_late : NULL, p, error);
    return status ? status : vv_private_parts_digest(&p->save.privates, error);
}

static varve_status find_early(struct part *p, varve_error *error)
{
    struct vv_save_plan *save_plan = p->save.save_plan;
    size_t slices, count = save_plan->value_count;
    const struct vv_save_plan_slice *slice =
        vv_save_plan_slices(save_plan, &slices);
    p->is_early = vv_allocate(&save_plan->context.allocator, count + 1);
    if (!p->is_early)
        return vv_fail_memory(error, "an asynchronous save");
    for (size_t i = 0; i < count; i++)
        p->is_early[i] = vv_save_plan_is_large(save_plan, i);
    for (size_t i = 0; i < slices; i++)
        p->is_early[slice[i].value] = false;
    save_plan->needed = find_needed;
    save_plan->needed_user = p;
    return VARVE_OK;
}

static struct vv_save_plan *save_plan_of(struct vv_job_part *job, size_t number)
{
    struct vv_private_parts *privates = &((struct part *)job)->save.privates;
    return number < privates->count ? &privates->all[number].save_plan : NULL;
}

static varve_status write_part(struct vv_job_part *part, varve_job *job,
    varve_status status, varve_error *error)
{
    struct part *p = (struct part *)part;
    struct vv_saving saving =
        vv_saving_together(&p->save, job->target, job->is_numbered);
    if (!status)
        status = digest_rest(p, error);
    saving.path = &job->path;
    return vv_saving_write(&saving, status, error);
}

static void free_part(struct vv_job_part *part)
{
    struct part *p = (struct part *)part;
    const varve_allocator a = p->save.save_plan->context.allocator;
    vv_release(&a, p->is_early, p->save.save_plan->value_count + 1);
    vv_save_together_end(&p->save);
    vv_release(&a, p, sizeof *p);
}

static varve_status job_together_gather(varve_job *job,
    const struct vv_background *b, const struct vv_save_request *r,
    varve_error *error)
{
    const varve_allocator *a = &job->context.allocator;
    struct part *p = vv_allocate_zeroed(a, sizeof *p);
    if (!p)
        return vv_fail_memory(error, "an asynchronous save");
    p->job = (struct vv_job_part){ save_plan_of, job_together_before_copy,
        write_part, free_part };
    p->save.comm = b->copy;
    p->save.save_plan = &job->save_plan;
    varve_status status = vv_save_together_gather(&p->save, r, error);
    if (status) {
        vv_release(a, p, sizeof *p);
        return status;
    }
    job->part = &p->job;
    vv_job_fill(job, r);
    VV_TRY(find_early(p, error));
    return vv_save_together_share(&p->save, error);
}

/* --- Starting a job ------------------------------------------------------- */

static varve_status job_together_check(
    const struct vv_save_request *r, varve_error *error)
{
    VV_TRY(vv_check_call(r->root, r->target, "path", error));
    return vv_store_refuse_any(r->target, VV_STORE_ALONE, error);
}

/* Waits until the same number of jobs has ended on all ranks. So all ranks see
 * the same failures. */
static varve_status wait_for_ends(
    struct vv_background *b, const varve_comm *comm, varve_error *error)
{
    uint64_t count = vv_background_ended(b);
    VV_TRY(vv_comm_allreduce_max(comm, &count, error));
    vv_background_wait_for_end(b, count);
    return VARVE_OK;
}

/* Prepares the job up to the point where the ranks agree on it. Sets *made also
 * on failure. */
static varve_status job_together_prepare(struct vv_background *b,
    const struct vv_save_request *r, varve_job **made, varve_error *error)
{
    VV_TRY(vv_background_report(b, error));
    *made = vv_job_new(r, error);
    if (!*made)
        return VARVE_NO_MEMORY;
    VV_TRY(job_together_gather(*made, b, r, error));
    return vv_job_stage(b, *made, error);
}

static void job_together_drop(struct vv_background *b, varve_job *job)
{
    if (job->part) {
        job->part->free(job->part);
        vv_save_plan_clear(&job->save_plan);
    }
    vv_job_drop(b, job);
}

varve_job *vv_save_start_together(const varve_comm *comm, varve_status status,
    const struct vv_save_request *r, varve_error *error)
{
    varve_job *job = NULL;
    if (vv_is_alone(comm))
        return status ? NULL : vv_save_start(r, error);
    if (!status)
        status = job_together_check(r, error);
    if (vv_keep_duplicate(comm, status, status ? NULL : r->root->graph, error))
        return NULL;
    struct vv_background *b = vv_background_of(r->root->graph);
    if (wait_for_ends(b, comm, error))
        return NULL;
    status = job_together_prepare(b, r, &job, error);
    status = vv_agree(comm, status, error);
    if (!status) {
        vv_background_add(b, job);
        return job;
    }
    if (job)
        job_together_drop(b, job);
    return NULL;
}

static varve_job *job_together_start(const varve_comm *comm,
    const struct vv_save_request *request, varve_error *error)
{
    varve_error reason = { 0 };
    if (vv_check_comm(comm, error))
        return NULL;
    varve_job *job = vv_save_start_together(comm, VARVE_OK, request, &reason);
    if (!job && error)
        *error = reason;
    return job;
}

varve_job *varve_write_all_async(const varve_comm *comm, varve_node *root,
    const char *path, const varve_write_options *options, varve_error *error)
{
    const struct vv_save_request r = vv_write_request(root, path, options);
    return job_together_start(comm, &r, error);
}

varve_job *varve_save_all_async(const varve_comm *comm, varve_node *root,
    const char *prefix, const varve_write_options *options, varve_error *error)
{
    const struct vv_save_request r = vv_numbered_request(root, prefix, options);
    return job_together_start(comm, &r, error);
}
