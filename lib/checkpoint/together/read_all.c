/* read_all.c - Restores a checkpoint on many ranks: rank 0 finds the file and
 * reads its index. If values could be lost, no rank changes its values before
 * all ranks have verified theirs.
 *
 * SPDX-License-Identifier: MIT
 */
#include "read_all.h"

#include <string.h>

#include "comm_collectives.h"
#include "default_allocator.h"
#include "division.h"
#include "failure.h"
#include "graph.h"
#include "open_all.h"
#include "portion.h"
#include "questions.h"
#include "save.h"
#include "at_risk.h"
#include "index_broadcast.h"
#include "try.h"
#include "write.h"

/* A collective restore on one rank. The flags record the steps that were
 * completed, as each rank must take part in all collective operations. */
struct reading {
    struct vv_collective_open consent;
    const varve_comm *comm;
    const struct vv_opening *opening;
    const varve_allocator *allocator;
    bool has_opened;  /* this rank has called vv_open_all */
    bool is_open;     /* all ranks have the same file open */
    bool has_divided; /* this rank has called vv_portion_find */
    bool is_agreed;   /* all ranks have the data they need, and change their
                         values */
};

static varve_status read_all_open_file(void *user, struct vv_opened *file,
    const struct vv_context *context, const char *path, varve_error *error)
{
    struct reading *reading = user;
    const struct vv_open_all how = {
        .comm = reading->comm,
        .context = context,
        .path = path,
        .most_told = VV_MOST_TOLD,
    };
    reading->has_opened = true;
    varve_status status = vv_open_all(&how, VARVE_OK, file, error);
    reading->is_open = !status;
    return status;
}

/* Takes part in vv_open_all on a rank that cannot open the file. */
static varve_status fail_to_open(
    const struct reading *reading, varve_status status, varve_error *error)
{
    struct vv_opened none = { 0 };
    const struct vv_open_all how = { .comm = reading->comm,
        .path = reading->opening->path };
    return vv_open_all(&how, status, &none, error);
}

static varve_status divide(
    void *user, struct vv_division *division, varve_error *error)
{
    struct reading *reading = user;
    reading->has_divided = true;
    return vv_portion_find(reading->comm, reading->allocator, division, error);
}

/* Agrees with the other ranks on whether to continue. A rank that has not
 * called vv_portion_find, because it verifies nothing in advance or has failed,
 * calls it here, unless all ranks read only once. */
static varve_status read_all_agree(
    void *user, varve_status status, varve_error *error)
{
    struct reading *reading = user;
    struct vv_division nothing = { .numbers = { 0 } };
    varve_error reason = { 0 };
    if (!reading->has_divided && !reading->consent.reads_once &&
        divide(reading, &nothing, &reason) && !status) {
        status = reason.status;
        *error = reason;
    }
    status = vv_agree(reading->comm, status, error);
    reading->is_agreed = !status;
    return status;
}

/* --- The file ------------------------------------------------------------- */

/* Fails if this rank has another path than rank 0; compares their hashes. */
static varve_status read_all_check_path(const varve_comm *comm,
    varve_status status, const char *path, varve_error *error)
{
    uint64_t here = status ? 0 : vv_hash_of(path, strlen(path)), there = here;
    VV_TRY(vv_comm_bcast_u64(comm, &there, error));
    if (!status && here != there)
        status =
            vv_fail(error, VARVE_MISUSE, "%s: rank 0 reads another path", path);
    return vv_agree(comm, status, error);
}

/* Finds the file on rank 0 only, as a network file system may show different
 * files on different machines for a while. Sets `found` to the path with a
 * NUL. */
static varve_status read_all_find(const varve_comm *comm,
    const varve_node *root, const struct vv_opening *opening,
    struct vv_buffer *found, varve_error *error)
{
    varve_status status = VARVE_OK;
    if (comm->rank == 0) {
        status = vv_find_checkpoint(&root->graph->context, opening->path,
            opening->is_numbered, found, error);
        found->size += !status; /* include the NUL */
    }
    return vv_comm_bcast_buffer(comm, status, found, error);
}

/* --- The result ----------------------------------------------------------- */

/* Decides to read only once if each rank requests that or has no values to
 * lose. */
static varve_status read_all_choose_passes(
    struct reading *reading, const varve_graph *graph, varve_error *error)
{
    const varve_read_options *options = reading->opening->options;
    uint64_t may_lose =
        vv_may_lose(graph, 0, options ? options->passes : VARVE_PASSES_AUTO);
    VV_TRY(vv_comm_allreduce_max(reading->comm, &may_lose, error));
    reading->consent.reads_once = may_lose == 0;
    return VARVE_OK;
}

/* Converts an error on this rank: after the agreement, other ranks already have
 * new values. */
static varve_status read_all_partially_restored(
    varve_status status, varve_error *error)
{
    if (status == VARVE_PARTIALLY_RESTORED || status == VARVE_DISCONNECTED)
        return status;
    error->status = VARVE_PARTIALLY_RESTORED;
    vv_error_add_line(error, "partially restored: other ranks have new values");
    return VARVE_PARTIALLY_RESTORED;
}

/* Agrees on the result. The file belongs to another program if no rank has
 * matched any value. */
static varve_status read_all_conclude(
    const varve_comm *comm, struct varve_restoration *r, varve_error *error)
{
    enum { MATCHES_NOTHING, MATCHES, FAILS };
    varve_status status =
        r ? vv_restoration_demand_any(r, error) : error->status;
    bool matches_nothing = status == VARVE_UNMATCHED;
    if (status && !matches_nothing)
        status = read_all_partially_restored(status, error);
    uint64_t most = !status           ? MATCHES
                    : matches_nothing ? MATCHES_NOTHING
                                      : FAILS;
    VV_TRY(vv_comm_allreduce_max(comm, &most, error));
    if (most == FAILS && matches_nothing)
        status = VARVE_OK; /* returns the failure of another rank */
    return most == MATCHES ? VARVE_OK : vv_agree(comm, status, error);
}

/* Opens and restores the checkpoint. Each rank must take part in all collective
 * operations: opening the file, the agreement on whether all can continue, and
 * the agreement on the result. A rank that has skipped one of them because of
 * an error takes part in it here. */
static varve_restoration *read_all_open_all(const varve_comm *comm,
    varve_node *root, struct vv_opening *opening, varve_error *error)
{
    struct reading reading = { .comm = comm,
        .opening = opening,
        .allocator = &root->graph->context.allocator };
    reading.consent = (struct vv_collective_open){ .open = read_all_open_file,
        .divide = divide,
        .ask = read_all_agree,
        .user = &reading };
    opening->consent = &reading.consent;
    if (read_all_choose_passes(&reading, root->graph, error))
        return NULL;
    varve_restoration *r = vv_restoration_open(root, opening, error);
    varve_status status = r ? VARVE_OK : error->status;
    if (!reading.has_opened)
        status = fail_to_open(&reading, status, error);
    if (reading.is_open && !reading.consent.was_asked)
        status = read_all_agree(&reading, status, error);
    if (reading.is_agreed)
        status = read_all_conclude(comm, r, error);
    if (status && r) {
        vv_restoration_leave_half(r);
        vv_restoration_free(r);
        r = NULL;
    }
    error->status = status;
    return r;
}

varve_restoration *vv_read_together(const varve_comm *comm, varve_node *root,
    varve_status status, struct vv_opening *opening, varve_error *error)
{
    const varve_allocator allocator = vv_allocator_or_default(NULL);
    struct vv_buffer found;
    varve_restoration *r = NULL;
    if (vv_is_alone(comm))
        return status ? NULL : vv_restoration_open(root, opening, error);
    vv_buffer_init(&found, &allocator);
    status = read_all_check_path(comm, status, opening->path, error);
    if (!status)
        status = read_all_find(comm, root, opening, &found, error);
    if (!status) {
        opening->path = (const char *)found.data;
        opening->is_numbered = false;
        r = read_all_open_all(comm, root, opening, error);
    }
    vv_buffer_clear(&found);
    return r;
}

static varve_restoration *read_all_read_all(const varve_comm *comm,
    varve_node *root, struct vv_opening *opening, varve_error *error)
{
    varve_error reason = { 0 };
    if (vv_check_comm(comm, error))
        return NULL;
    varve_status status = vv_check_call(root, opening->path, "path", &reason);
    varve_restoration *r =
        vv_read_together(comm, root, status, opening, &reason);
    if (!r && error)
        *error = reason;
    return r;
}

varve_restoration *varve_read_all(const varve_comm *comm, varve_node *root,
    const char *path, const varve_read_options *options, varve_error *error)
{
    struct vv_opening opening = { .path = path, .options = options };
    return read_all_read_all(comm, root, &opening, error);
}

varve_restoration *varve_restore_all(const varve_comm *comm, varve_node *root,
    const char *path, const varve_read_options *options, varve_error *error)
{
    struct vv_opening opening = {
        .path = path, .options = options, .is_numbered = true, .is_save = true
    };
    return read_all_read_all(comm, root, &opening, error);
}
