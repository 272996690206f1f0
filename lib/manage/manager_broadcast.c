/* manager_broadcast.c - Serializes listings, to broadcast them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "manager_broadcast.h"

#include <string.h>

#include "comm_collectives.h"
#include "bytes.h"
#include "failure.h"
#include "manager_look.h"
#include "manager_together.h"
#include "try.h"

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
