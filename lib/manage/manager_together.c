/* manager_together.c - Implements the collective operations of a manager, and
 * serializes listings to broadcast them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "manager_together.h"

#include <inttypes.h>
#include <string.h>

#include "bytes.h"
#include "checksum.h"
#include "comm_collectives.h"
#include "failure.h"
#include "job_together.h"
#include "manager_look.h"
#include "save_together.h"
#include "set_levels.h"
#include "try.h"
#include "write_options.h"

/* --- Listings ------------------------------------------------------------- */

/* Serializes listings, to broadcast them. */

enum {
    IS_OURS = 1,
    IS_PINNED = 2,
    IS_READ = 4,
    IS_DAMAGED = 8,
    IS_GOOD = 16,
    IS_PADDED = 32,
    IS_UNREAD = 64,
    RUN_WORDS = VV_RUN_SIZE / 8,
    ANCESTRY_AT = 8 * (12 + RUN_WORDS),
    ENTRY_WORDS = 14 + RUN_WORDS + 2 * VV_MOST_ANCESTORS,
};

static void manager_broadcast_add_entry(
    struct vv_buffer *bytes, const struct vv_entry *e, unsigned reasons)
{
    vv_buffer_add64(bytes, e->number);
    vv_buffer_add64(bytes, e->counter);
    vv_buffer_add64(bytes, (uint64_t)e->step);
    vv_buffer_add64(bytes, (uint64_t)e->time);
    vv_buffer_add64(bytes, vv_bits_of(e->metric));
    vv_buffer_add64(bytes, e->size);
    vv_buffer_add64(bytes, e->data);
    vv_buffer_add64(bytes,
        (e->is_ours ? IS_OURS : 0) | (e->is_pinned ? IS_PINNED : 0) |
            (e->is_read ? IS_READ : 0) | (e->is_damaged ? IS_DAMAGED : 0) |
            (e->is_good ? IS_GOOD : 0) | (e->is_padded ? IS_PADDED : 0) |
            (e->is_unread ? IS_UNREAD : 0));
    vv_buffer_add64(bytes, e->identity);
    vv_buffer_add64(bytes, e->parent);
    vv_buffer_add64(bytes, e->parent_counter);
    vv_buffer_add64(bytes, e->origin);
    vv_buffer_add(bytes, e->run, sizeof e->run);
    vv_buffer_add64(bytes, e->ancestry.count);
    for (size_t i = 0; i < VV_MOST_ANCESTORS; i++) {
        vv_buffer_add64(bytes, e->ancestry.all[i].run);
        vv_buffer_add64(bytes, e->ancestry.all[i].counter);
    }
    vv_buffer_add64(bytes, reasons);
}

static struct vv_ancestry ancestry_at(const unsigned char *at)
{
    struct vv_ancestry ancestry = { .count = (size_t)vv_load64(at) };
    for (size_t i = 0; i < ancestry.count; i++)
        ancestry.all[i] = (struct vv_ancestor){ vv_load64(at + 8 + 16 * i),
            vv_load64(at + 16 + 16 * i) };
    return ancestry;
}

static struct vv_entry entry_at(const unsigned char *at)
{
    uint64_t flags = vv_load64(at + 56);
    struct vv_entry entry = {
        .number = vv_load64(at),
        .counter = vv_load64(at + 8),
        .step = (int64_t)vv_load64(at + 16),
        .time = (int64_t)vv_load64(at + 24),
        .metric = vv_real_of(vv_load64(at + 32)),
        .size = vv_load64(at + 40),
        .data = vv_load64(at + 48),
        .is_ours = (flags & IS_OURS) != 0,
        .is_pinned = (flags & IS_PINNED) != 0,
        .is_read = (flags & IS_READ) != 0,
        .is_damaged = (flags & IS_DAMAGED) != 0,
        .is_good = (flags & IS_GOOD) != 0,
        .is_padded = (flags & IS_PADDED) != 0,
        .is_unread = (flags & IS_UNREAD) != 0,
        .identity = vv_load64(at + 64),
        .parent = vv_load64(at + 72),
        .parent_counter = vv_load64(at + 80),
        .origin = vv_load64(at + 88),
        .ancestry = ancestry_at(at + ANCESTRY_AT),
    };
    memcpy(entry.run, at + 96, sizeof entry.run);
    return entry;
}

static varve_status take_entries(struct vv_listing *listing,
    const unsigned char *at, size_t count, varve_error *error)
{
    listing->count = 0;
    for (size_t i = 0; i < count; i++) {
        const struct vv_entry entry = entry_at(at + 8 * ENTRY_WORDS * i);
        if (!vv_listing_add(listing, &entry))
            return vv_fail_memory(error, "a list of checkpoints");
    }
    return VARVE_OK;
}

static void manager_broadcast_add_all(
    struct vv_buffer *bytes, const varve_manager *m)
{
    vv_buffer_add64(bytes, m->has_good);
    vv_buffer_add64(bytes, m->good);
    vv_buffer_add64(bytes, m->warning.status);
    vv_buffer_add(bytes, m->warning.message, sizeof m->warning.message);
    for (size_t i = 0; i < m->listing.count; i++)
        manager_broadcast_add_entry(bytes, &m->listing.entries[i],
            i < m->decision.count ? m->decision.facts[i].reasons : 0);
}

/* All reasons are in the decision, except leases. */
static varve_status manager_broadcast_take_all(
    varve_manager *m, const struct vv_buffer *bytes, varve_error *error)
{
    const unsigned char *at = bytes->data;
    m->has_good = vv_load64(at) != 0;
    m->good = vv_load64(at + 8);
    m->warning.status = (varve_status)vv_load64(at + 16);
    memcpy(m->warning.message, at + 24, sizeof m->warning.message);
    at += 24 + sizeof m->warning.message;
    m->decision.count = 0;
    size_t count = (size_t)(bytes->data + bytes->size - at) / (8 * ENTRY_WORDS);
    VV_TRY(take_entries(&m->listing, at, count, error));
    VV_TRY(vv_manager_decide(m, error));
    for (size_t i = 0; i < m->decision.count; i++)
        m->decision.facts[i].reasons |=
            (unsigned)vv_load64(at + 8 * (ENTRY_WORDS * i + ENTRY_WORDS - 1));
    return VARVE_OK;
}

/* Rank 0 serializes; the others parse. */
struct account {
    void (*add)(struct vv_buffer *bytes, const varve_manager *m);
    varve_status (*take)(
        varve_manager *m, const struct vv_buffer *bytes, varve_error *error);
};

static varve_status manager_broadcast_listing(varve_manager *m,
    const struct account *account, varve_status status, varve_error *error)
{
    const varve_comm *comm = m->options.comm;
    struct vv_buffer bytes;
    varve_error reason = { 0 };
    varve_status taken = VARVE_OK;
    vv_buffer_init(&bytes, &m->context.allocator);
    if (comm->size > 1 && comm->rank == 0)
        account->add(&bytes, m);
    varve_status sent = vv_comm_bcast_buffer(comm, VARVE_OK, &bytes, &reason);
    if (!sent && comm->rank != 0)
        taken = account->take(m, &bytes, &reason);
    vv_buffer_clear(&bytes);
    if (sent || (taken && !status)) {
        *error = reason;
        status = taken;
    }
    return sent ? sent : vv_manager_agree(m, status, error);
}

varve_status vv_manager_broadcast(
    varve_manager *m, varve_status status, varve_error *error)
{
    return manager_broadcast_listing(m,
        &(struct account){
            manager_broadcast_add_all, manager_broadcast_take_all },
        status, error);
}

/* --- What rank 0 saw at the levels ---------------------------------------- */

static void add_seen(struct vv_buffer *bytes, const varve_manager *m)
{
    for (size_t i = 0; i < m->levels.count; i++) {
        const struct vv_level_queue *q = &m->levels.all[i];
        vv_buffer_add64(bytes, q->unseen.status);
        vv_buffer_add(bytes, q->unseen.message, sizeof q->unseen.message);
        vv_buffer_add64(bytes, q->seen.count);
        for (size_t k = 0; k < q->seen.count; k++)
            manager_broadcast_add_entry(bytes, &q->seen.entries[k], 0);
    }
}

static varve_status take_seen(
    varve_manager *m, const struct vv_buffer *bytes, varve_error *error)
{
    const unsigned char *at = bytes->data;
    for (size_t i = 0; i < m->levels.count; i++) {
        struct vv_level_queue *q = &m->levels.all[i];
        q->unseen.status = (varve_status)vv_load64(at);
        memcpy(q->unseen.message, at + 8, sizeof q->unseen.message);
        at += 8 + sizeof q->unseen.message;
        size_t count = (size_t)vv_load64(at);
        VV_TRY(take_entries(&q->seen, at + 8, count, error));
        at += 8 + 8 * ENTRY_WORDS * count;
    }
    return VARVE_OK;
}

varve_status vv_manager_broadcast_levels(
    varve_manager *m, varve_status status, varve_error *error)
{
    return manager_broadcast_listing(
        m, &(struct account){ add_seen, take_seen }, status, error);
}

/* --- Operations ----------------------------------------------------------- */

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
