/* manager_together.c - what the ranks of a manager tell each other.
 *
 * SPDX-License-Identifier: MIT
 */
#include "manager_together.h"

#include <inttypes.h>
#include <string.h>

#include "agreement.h"
#include "bytes.h"
#include "checksum.h"
#include "failure.h"
#include "manager_nodes.h"
#include "save_together.h"
#include "try.h"

static uint64_t bits_of(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static double number_of(uint64_t bits)
{
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

bool vv_manager_leads(const varve_manager *m)
{
    return !m->options.comm || m->options.comm->rank == 0;
}

/* Of ranks with a directory each, all lead. */
const varve_comm *vv_manager_comm(const varve_manager *m)
{
    return m->redundancy.comm ? m->redundancy.comm : m->options.comm;
}

varve_status vv_manager_agree(
    const varve_manager *m, varve_status status, varve_error *error)
{
    const varve_comm *comm = vv_manager_comm(m);
    return comm ? vv_agree(comm, status, error) : status;
}

varve_status vv_manager_any(
    varve_manager *m, varve_status status, bool *is_wanted, varve_error *error)
{
    enum { NOBODY, SOMEBODY, FAILED };
    const varve_comm *comm = vv_manager_comm(m);
    uint64_t most = status ? FAILED : *is_wanted ? SOMEBODY : NOBODY;
    if (!comm)
        return status;
    varve_status talk = vv_largest(comm, &most, error);
    if (talk)
        return talk;
    *is_wanted = most == SOMEBODY;
    return most == FAILED ? vv_agree(comm, status, error) : VARVE_OK;
}

varve_status vv_manager_follow(const varve_manager *m, varve_status status,
    struct vv_manager_order *order, varve_error *error)
{
    const varve_comm *comm = vv_manager_comm(m);
    uint64_t words[] = { (uint64_t)order->step, order->counter, order->number,
        order->is_new, (uint64_t)order->time, order->has_metric,
        bits_of(order->metric) };
    if (!comm)
        return status;
    VV_TRY(vv_agree(comm, status, error));
    VV_TRY(vv_tell_bytes(comm, words, sizeof words, error));
    if ((int64_t)words[0] != order->step)
        status = vv_fail(error, VARVE_MISUSE,
            "%s: expected to save step %" PRId64 " as rank 0, found %" PRId64,
            m->listing.directory, (int64_t)words[0], order->step);
    *order = (struct vv_manager_order){ .step = order->step,
        .counter = words[1],
        .number = words[2],
        .is_new = words[3] != 0,
        .time = (int64_t)words[4],
        .has_metric = words[5] != 0,
        .metric = number_of(words[6]) };
    return vv_agree(comm, status, error);
}

varve_status vv_manager_compare(
    varve_manager *m, const char *what, uint64_t number, varve_error *error)
{
    const varve_comm *comm = vv_manager_comm(m);
    uint64_t there = number;
    varve_status status = VARVE_OK;
    if (!comm)
        return VARVE_OK;
    VV_TRY(vv_tell_number(comm, &there, error));
    if (there != number)
        status = vv_fail(error, VARVE_MISUSE,
            "%s: expected %s %" PRIu64 " as at rank 0, found %" PRIu64,
            m->listing.directory, what, there, number);
    return vv_agree(comm, status, error);
}

/* --- The first meeting ---------------------------------------------------- */

varve_status vv_manager_check_options(
    const varve_manager_options *o, varve_error *error)
{
    VV_TRY(vv_nodes_check_options(o, error));
    if (!o->comm)
        return VARVE_OK;
    if (o->async)
        return vv_fail(error, VARVE_MISUSE,
            "expected a manager of several processes to save while they wait, "
            "found `async`");
    if (o->as_noted)
        return vv_fail(error, VARVE_MISUSE,
            "expected a manager of several processes to be told what is kept, "
            "found `as_noted`");
    return vv_check_together(o->write, error);
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
    vv_buffer_add8(bytes, o->read && o->read->salvage.on);
    if (o->redundancy) {
        vv_buffer_add32(bytes, o->redundancy->scheme);
        vv_buffer_add32(bytes, o->redundancy->group_size);
        vv_buffer_add8(bytes, o->redundancy->domain != 0);
    }
}

/* Where they are; the rest is rank 0's. */
static void add_levels(struct vv_buffer *bytes, const struct vv_levels *levels)
{
    for (size_t i = 0; i < levels->count; i++) {
        const char *directory = levels->all[i].seen.directory;
        vv_buffer_add(bytes, directory, strlen(directory) + 1);
    }
}

/* A digest of the names, and one of the options. */
static varve_status sum(
    const varve_manager *m, uint64_t sums[2], varve_error *error)
{
    struct vv_buffer bytes;
    vv_buffer_init(&bytes, &m->context.allocator);
    if (!vv_manager_has_nodes(m))
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
    varve_status status = sum(m, here, error);
    VV_TRY(vv_agree(comm, status, error));
    memcpy(there, here, sizeof there);
    VV_TRY(vv_tell_bytes(comm, there, sizeof there, error));
    if (here[0] != there[0])
        status = vv_fail(error, VARVE_MISUSE,
            "%s: expected the directory, prefix and metric that rank 0 "
            "manages, found others (%s, %s)",
            m->listing.directory, m->listing.prefix, m->listing.metric);
    else if (here[1] != there[1])
        status = vv_fail(error, VARVE_MISUSE,
            "%s: expected the options of a manager that rank 0 has, found "
            "others",
            m->listing.directory);
    return vv_agree(comm, status, error);
}

varve_status vv_manager_meet(varve_manager *m, const varve_comm *comm,
    varve_status status, varve_error *error)
{
    VV_TRY(vv_agree(comm, status, error));
    VV_TRY(check_alike(m, comm, error));
    VV_TRY(vv_nodes_meet(m, error));
    return vv_manager_tell(m, VARVE_OK, error);
}

/* --- What rank 0 knows ---------------------------------------------------- */

enum {
    IS_OURS = 1,
    IS_PINNED = 2,
    IS_READ = 4,
    IS_DAMAGED = 8,
    IS_GOOD = 16,
    ENTRY_WORDS = 9,
};

static void add_entry(
    struct vv_buffer *bytes, const struct vv_entry *e, unsigned reasons)
{
    vv_buffer_add64(bytes, e->number);
    vv_buffer_add64(bytes, e->counter);
    vv_buffer_add64(bytes, (uint64_t)e->step);
    vv_buffer_add64(bytes, (uint64_t)e->time);
    vv_buffer_add64(bytes, bits_of(e->metric));
    vv_buffer_add64(bytes, e->size);
    vv_buffer_add64(bytes, e->data);
    vv_buffer_add64(bytes,
        (e->is_ours ? IS_OURS : 0) | (e->is_pinned ? IS_PINNED : 0) |
            (e->is_read ? IS_READ : 0) | (e->is_damaged ? IS_DAMAGED : 0) |
            (e->is_good ? IS_GOOD : 0));
    vv_buffer_add64(bytes, reasons);
}

static struct vv_entry entry_at(const unsigned char *at)
{
    uint64_t flags = vv_load64(at + 56);
    return (struct vv_entry){
        .number = vv_load64(at),
        .counter = vv_load64(at + 8),
        .step = (int64_t)vv_load64(at + 16),
        .time = (int64_t)vv_load64(at + 24),
        .metric = number_of(vv_load64(at + 32)),
        .size = vv_load64(at + 40),
        .data = vv_load64(at + 48),
        .is_ours = (flags & IS_OURS) != 0,
        .is_pinned = (flags & IS_PINNED) != 0,
        .is_read = (flags & IS_READ) != 0,
        .is_damaged = (flags & IS_DAMAGED) != 0,
        .is_good = (flags & IS_GOOD) != 0,
    };
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

static void add_all(struct vv_buffer *bytes, const varve_manager *m)
{
    vv_buffer_add64(bytes, m->has_good);
    vv_buffer_add64(bytes, m->good);
    vv_buffer_add64(bytes, m->warning.status);
    vv_buffer_add(bytes, m->warning.message, sizeof m->warning.message);
    for (size_t i = 0; i < m->listing.count; i++)
        add_entry(bytes, &m->listing.entries[i],
            i < m->decision.count ? m->decision.facts[i].reasons : 0);
}

/* The reasons are in each decision but that somebody reads it. */
static varve_status take_all(
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

/* Rank 0 makes the bytes, the others take them. */
struct account {
    void (*add)(struct vv_buffer *bytes, const varve_manager *m);
    varve_status (*take)(
        varve_manager *m, const struct vv_buffer *bytes, varve_error *error);
};

static varve_status tell(varve_manager *m, const struct account *account,
    varve_status status, varve_error *error)
{
    const varve_comm *comm = m->options.comm;
    struct vv_buffer bytes;
    varve_error reason = { 0 };
    varve_status taken = VARVE_OK;
    if (!comm)
        return vv_manager_agree(m, status, error);
    vv_buffer_init(&bytes, &m->context.allocator);
    if (comm->rank == 0)
        account->add(&bytes, m);
    varve_status told = vv_tell_all(comm, VARVE_OK, &bytes, &reason);
    if (!told && comm->rank != 0)
        taken = account->take(m, &bytes, &reason);
    vv_buffer_clear(&bytes);
    if (told || (taken && !status)) {
        *error = reason;
        status = taken;
    }
    return told ? told : vv_agree(comm, status, error);
}

varve_status vv_manager_tell(
    varve_manager *m, varve_status status, varve_error *error)
{
    return tell(m, &(struct account){ add_all, take_all }, status, error);
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
            add_entry(bytes, &q->seen.entries[k], 0);
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

varve_status vv_manager_tell_levels(
    varve_manager *m, varve_status status, varve_error *error)
{
    return tell(m, &(struct account){ add_seen, take_seen }, status, error);
}
