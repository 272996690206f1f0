/* manager_together.c - Implements the collective operations of a manager.
 *
 * SPDX-License-Identifier: MIT
 */
#include "manager_broadcast.h"
#include "manager_together.h"

#include <inttypes.h>
#include <string.h>

#include "comm_collectives.h"
#include "bytes.h"
#include "checksum.h"
#include "failure.h"
#include "job_together.h"
#include "save_together.h"
#include "set_levels.h"
#include "try.h"
#include "write_options.h"

bool vv_manager_leads(const varve_manager *m)
{
    return m->options.comm->rank == 0;
}

varve_status vv_manager_agree(
    const varve_manager *m, varve_status status, varve_error *error)
{
    return vv_agree(m->comm, status, error);
}

varve_status vv_manager_any(
    varve_manager *m, varve_status status, bool *is_wanted, varve_error *error)
{
    enum { NOBODY, SOMEBODY, FAILED };
    uint64_t most = status ? FAILED : *is_wanted ? SOMEBODY : NOBODY;
    VV_TRY(vv_comm_allreduce_max(m->comm, &most, error));
    *is_wanted = most == SOMEBODY;
    return most == FAILED ? vv_agree(m->comm, status, error) : VARVE_OK;
}

/* All files of a checkpoint belong to one run, that of rank 0. */
static varve_status manager_together_broadcast_run(
    varve_manager *m, const varve_comm *comm, varve_error *error)
{
    char text[VV_RUN_SIZE + VV_PARENT_SIZE];
    memcpy(text, m->run, VV_RUN_SIZE);
    memcpy(text + VV_RUN_SIZE, m->parent, VV_PARENT_SIZE);
    VV_TRY(vv_comm_bcast(comm, text, sizeof text, error));
    memcpy(m->run, text, VV_RUN_SIZE);
    memcpy(m->parent, text + VV_RUN_SIZE, VV_PARENT_SIZE);
    return VARVE_OK;
}

varve_status vv_manager_bcast_order(varve_manager *m, varve_status status,
    struct vv_manager_order *order, varve_error *error)
{
    const varve_comm *comm = m->comm;
    uint64_t words[] = { (uint64_t)order->step, order->counter, order->number,
        order->is_new, (uint64_t)order->time, order->has_metric,
        vv_bits_of(order->metric) };
    VV_TRY(vv_agree(comm, status, error));
    VV_TRY(vv_comm_bcast(comm, words, sizeof words, error));
    VV_TRY(manager_together_broadcast_run(m, comm, error));
    if ((int64_t)words[0] != order->step)
        status = vv_fail(error, VARVE_MISUSE,
            "%s: rank 0 saves step %" PRId64 ", this rank saves step %" PRId64,
            m->listing.directory, (int64_t)words[0], order->step);
    *order = (struct vv_manager_order){ .step = order->step,
        .counter = words[1],
        .number = words[2],
        .is_new = words[3] != 0,
        .time = (int64_t)words[4],
        .has_metric = words[5] != 0,
        .metric = vv_real_of(words[6]) };
    return vv_agree(comm, status, error);
}

varve_status vv_manager_compare(
    varve_manager *m, const char *what, uint64_t number, varve_error *error)
{
    uint64_t there = number;
    varve_status status = VARVE_OK;
    VV_TRY(vv_comm_bcast_u64(m->comm, &there, error));
    if (there != number)
        status = vv_fail(error, VARVE_MISUSE,
            "%s: rank 0 has %s %" PRIu64 ", this rank has %" PRIu64,
            m->listing.directory, what, there, number);
    return vv_agree(m->comm, status, error);
}

/* --- The first meeting ---------------------------------------------------- */

varve_status vv_manager_check_options(
    const varve_manager_options *o, const char *directory, varve_error *error)
{
    VV_TRY(vv_write_options_check(o->write, error));
    VV_TRY(vv_check_numbered(o->write, "write.format", directory, error));
    if (vv_is_alone(o->comm))
        VV_TRY(vv_check_not_collective(o->write, error));
    VV_TRY(vv_nodes_check_options(o, error));
    if (o->async)
        VV_TRY(vv_check_duplicates(o->comm, error));
    if (o->retention_from_ledger && !vv_is_alone(o->comm))
        return vv_fail(error, VARVE_MISUSE,
            "`retention_from_ledger` cannot be used with `comm`: give each "
            "rank the retention options");
    return VARVE_OK;
}

static void add_options(struct vv_buffer *bytes, const varve_manager_options *o)
{
    vv_buffer_add64(bytes, o->keep_last);
    vv_buffer_add64(bytes, o->keep_every_steps);
    vv_buffer_add64(bytes, o->keep_every_seconds);
    vv_buffer_add64(bytes, o->keep_best);
    vv_buffer_add8(bytes, o->best_is_larger);
    vv_buffer_add64(bytes, o->keep_bytes);
    vv_buffer_add64(bytes, o->keep_damaged);
    vv_buffer_add64(bytes, o->interval_steps);
    vv_buffer_add64(bytes, o->interval_seconds);
    vv_buffer_add8(bytes, o->number_by_step);
    vv_buffer_add8(bytes, o->record_time);
    vv_buffer_add8(bytes, o->async);
    vv_buffer_add8(bytes, o->read_only);
    vv_buffer_add8(bytes, o->must_resume);
    vv_buffer_add8(bytes, o->may_resume_older);
    vv_buffer_add8(bytes, o->strict);
    vv_buffer_add8(bytes, o->read && o->read->salvage.on);
    if (o->redundancy) {
        vv_buffer_add8(bytes, o->write && o->write->no_sync);
        vv_buffer_add32(bytes, o->redundancy->scheme);
        vv_buffer_add32(bytes, o->redundancy->group_size);
        vv_buffer_add8(bytes, o->redundancy->domain != 0);
    }
}

/* Adds the options of a level of sets that must be equal on all ranks. The
 * directories can differ. */
static void add_set_level(
    struct vv_buffer *bytes, const struct vv_level_queue *q)
{
    const struct vv_policy *policy = &q->level.policy;
    vv_buffer_add64(bytes, q->max_pending);
    vv_buffer_add64(bytes, policy->keep_last);
    vv_buffer_add64(bytes, policy->keep_every_steps);
    vv_buffer_add64(bytes, policy->keep_best);
}

/* Adds the directories of the levels. Rank 0 decides the rest. */
static void add_levels(struct vv_buffer *bytes, const struct vv_levels *levels)
{
    for (size_t i = 0; levels->is_of_sets && i < levels->count; i++)
        add_set_level(bytes, &levels->all[i]);
    if (levels->is_of_sets)
        return;
    for (size_t i = 0; i < levels->count; i++) {
        const char *directory = levels->all[i].seen.directory;
        vv_buffer_add(bytes, directory, strlen(directory) + 1);
    }
}

/* A hash of the names, and one of the options. */
static varve_status manager_together_sum(
    const varve_manager *m, uint64_t sums[2], varve_error *error)
{
    struct vv_buffer bytes;
    vv_buffer_init(&bytes, &m->context.allocator);
    if (!vv_has_nodes(&m->nodes))
        vv_buffer_add(
            &bytes, m->listing.directory, strlen(m->listing.directory) + 1);
    vv_buffer_add(&bytes, m->listing.prefix, strlen(m->listing.prefix) + 1);
    vv_buffer_add(&bytes, m->listing.metric, strlen(m->listing.metric) + 1);
    size_t names = bytes.size;
    add_options(&bytes, &m->options);
    add_levels(&bytes, &m->levels);
    varve_status status =
        bytes.failed ? vv_fail_memory(error, "the options of a manager")
                     : VARVE_OK;
    if (!status) {
        sums[0] = vv_hash_of(bytes.data, names);
        sums[1] = vv_hash_of(bytes.data + names, bytes.size - names);
    }
    vv_buffer_clear(&bytes);
    return status;
}

static varve_status check_alike(
    const varve_manager *m, const varve_comm *comm, varve_error *error)
{
    uint64_t here[2] = { 0, 0 }, there[2];
    varve_status status = manager_together_sum(m, here, error);
    VV_TRY(vv_agree(comm, status, error));
    memcpy(there, here, sizeof there);
    VV_TRY(vv_comm_bcast(comm, there, sizeof there, error));
    if (here[0] != there[0])
        status = vv_fail(error, VARVE_MISUSE,
            "%s: rank 0 manages another directory, prefix or metric (%s, %s)",
            m->listing.directory, m->listing.prefix, m->listing.metric);
    else if (here[1] != there[1])
        status = vv_fail(error, VARVE_MISUSE,
            "%s: the manager options differ from those of rank 0",
            m->listing.directory);
    return vv_agree(comm, status, error);
}

varve_status vv_manager_check_same_options(varve_manager *m,
    const varve_comm *comm, varve_status status, varve_error *error)
{
    VV_TRY(vv_agree(comm, status, error));
    if (vv_is_alone(comm))
        return VARVE_OK;
    VV_TRY(check_alike(m, comm, error));
    if (m->options.async)
        VV_TRY(vv_keep_duplicate(comm, VARVE_OK, m->graph, error));
    VV_TRY(vv_nodes_exchange(&m->nodes, error));
    if (vv_has_nodes(&m->nodes))
        VV_TRY(vv_set_levels_see(comm, &m->levels, error));
    return vv_manager_broadcast(m, VARVE_OK, error);
}
