/* set_levels.c - Copies sets of files of all ranks to a level: a set is held
 * until every rank has its file, then released to the queues.
 *
 * SPDX-License-Identifier: MIT
 */
#include "set_levels.h"

#include <string.h>

#include "comm_collectives.h"
#include "failure.h"
#include "monitor.h"
#include "try.h"

/* --- Which are whole ---------------------------------------------------- */

/* The data that identifies a set. */
struct named {
    uint64_t number;
    uint64_t counter;
    int64_t step;
    uint64_t identity; /* of run and counter, equal on all ranks */
};

static bool set_levels_is_in(
    const struct vv_listing *l, const struct named *set)
{
    const struct vv_entry *e = vv_listing_find(l, set->number);
    return e && e->is_ours && !e->is_damaged && e->counter == set->counter &&
           e->step == set->step && e->identity == set->identity;
}

static void add_all_named(struct vv_buffer *sets, const struct vv_listing *l)
{
    for (size_t i = 0; i < l->count; i++) {
        const struct vv_entry *e = &l->entries[i];
        const struct named set = { e->number, e->counter, e->step,
            e->identity };
        if (set_levels_is_in(l, &set))
            vv_buffer_add(sets, &set, sizeof set);
    }
}

/* Returns the index after the last of `count` sets that this rank lacks; 0: it
 * has all. */
static uint64_t last_lacking(
    const struct vv_listing *l, const struct vv_buffer *sets, uint64_t count)
{
    struct named set;
    for (; count > 0; count--) {
        memcpy(&set, sets->data + (count - 1) * sizeof set, sizeof set);
        if (!set_levels_is_in(l, &set))
            break;
    }
    return count;
}

static void remove_at(struct vv_buffer *sets, uint64_t place)
{
    size_t at = (size_t)place * sizeof(struct named);
    size_t end = at + sizeof(struct named);
    memmove(sets->data + at, sets->data + end, sets->size - end);
    sets->size -= sizeof(struct named);
}

/* Keeps the sets of rank 0 that all ranks have. */
static varve_status find_whole(const varve_comm *comm,
    const struct vv_listing *l, struct vv_buffer *sets, varve_error *error)
{
    varve_error reason = { 0 };
    varve_status status = VARVE_OK;
    if (comm->rank == 0)
        add_all_named(sets, l);
    if (sets->failed)
        status = vv_fail_memory(&reason, "the sets of a level");
    status = vv_comm_bcast_buffer(comm, status, sets, &reason);
    uint64_t place = sets->size / sizeof(struct named);
    while (!status && place > 0) {
        place = last_lacking(l, sets, place);
        status = vv_comm_allreduce_max(comm, &place, &reason);
        if (!status && place > 0)
            remove_at(sets, --place);
    }
    if (status)
        *error = reason;
    return status;
}

static void set_complete_sets(
    struct vv_level_queue *q, const struct vv_buffer *sets)
{
    struct named set = { .step = -1 };
    vv_monitor_enter(q->worker.monitor);
    q->whole.size = 0;
    q->whole.failed = false;
    for (size_t at = 0; at < sets->size; at += sizeof set) {
        memcpy(&set, sets->data + at, sizeof set);
        vv_buffer_add(&q->whole, &set.number, sizeof set.number);
    }
    q->knows_whole = !q->whole.failed;
    q->has_latest = sets->size > 0;
    q->latest = set.number;
    q->latest_step = set.step;
    vv_monitor_leave(q->worker.monitor);
    if (q->held || q->has_released)
        return;
    q->offered = set.counter;
    vv_interval_begin(&q->interval, set.step, q->level.context.system);
    q->interval.has_last = sets->size > 0 && set.step >= 0;
}

/* Nothing is deleted unless all ranks have the list of complete sets. */
static void set_no_sets(struct vv_level_queue *q)
{
    q->seen.count = 0;
    vv_monitor_enter(q->worker.monitor);
    q->knows_whole = false;
    vv_monitor_leave(q->worker.monitor);
}

static varve_status see_one(
    const varve_comm *comm, struct vv_level_queue *q, varve_error *error)
{
    struct vv_buffer sets;
    q->unseen.status = vv_agree(comm, q->unseen.status, &q->unseen);
    if (q->unseen.status) {
        set_no_sets(q);
        if (q->unseen.status == VARVE_DISCONNECTED)
            *error = q->unseen;
        return q->unseen.status == VARVE_DISCONNECTED ? VARVE_DISCONNECTED
                                                      : VARVE_OK;
    }
    vv_buffer_init(&sets, &q->level.context.allocator);
    varve_status status = find_whole(comm, &q->seen, &sets, error);
    if (!status)
        set_complete_sets(q, &sets);
    vv_buffer_clear(&sets);
    return status;
}

varve_status vv_set_levels_see(
    const varve_comm *comm, struct vv_levels *levels, varve_error *error)
{
    for (size_t i = 0; i < levels->count; i++)
        VV_TRY(see_one(comm, &levels->all[i], error));
    return VARVE_OK;
}

/* --- One after the other ------------------------------------------------ */

/* The progress of a rank with the released set. */
enum { IS_COPIED, IS_LOST, IS_AT_WORK };

static uint64_t progress_of(struct vv_level_queue *q)
{
    vv_monitor_enter(q->worker.monitor);
    uint64_t progress = q->first || q->current ? IS_AT_WORK
                        : q->is_copied         ? IS_COPIED
                                               : IS_LOST;
    vv_monitor_leave(q->worker.monitor);
    return progress;
}

static void note_whole(struct vv_level_queue *q)
{
    vv_monitor_enter(q->worker.monitor);
    vv_buffer_add(&q->whole, &q->released.number, sizeof q->released.number);
    q->knows_whole = q->knows_whole && !q->whole.failed;
    q->has_latest = true;
    q->latest = q->released.number;
    q->latest_step = q->released.step;
    q->tidies = q->knows_whole;
    vv_monitor_wake(q->worker.monitor);
    vv_monitor_leave(q->worker.monitor);
}

static struct vv_waiting *take_held(struct vv_level_queue *q)
{
    struct vv_waiting *w = q->held;
    q->held = w->next;
    q->held_count--;
    w->next = NULL;
    return w;
}

static void set_levels_release(struct vv_level_queue *q)
{
    struct vv_waiting *w = take_held(q);
    q->has_released = true;
    q->released = (struct vv_entry){
        .number = w->original.number,
        .counter = w->original.counter,
        .step = w->original.step,
    };
    vv_level_queue_put(q, w);
}

static varve_status set_levels_advance(
    const varve_comm *comm, struct vv_level_queue *q, varve_error *error)
{
    uint64_t progress = IS_COPIED;
    if (q->has_released) {
        progress = progress_of(q);
        VV_TRY(vv_comm_allreduce_max(comm, &progress, error));
    }
    if (q->has_released && progress == IS_COPIED)
        note_whole(q);
    if (progress != IS_AT_WORK) {
        q->has_released = false;
        if (q->held)
            set_levels_release(q);
    }
    return VARVE_OK;
}

/* --- What waits --------------------------------------------------------- */

static void set_levels_leave_out(struct vv_level_queue *q)
{
    vv_waiting_free(q, take_held(q));
    vv_monitor_enter(q->worker.monitor);
    q->left_out++;
    vv_monitor_leave(q->worker.monitor);
}

static void append_held(struct vv_level_queue *q, struct vv_waiting *w)
{
    struct vv_waiting **link = &q->held;
    while (*link)
        link = &(*link)->next;
    *link = w;
    q->held_count++;
}

/* A set that each rank has. */
struct offer {
    const varve_comm *comm;
    struct vv_listing *listing;
    const struct vv_entry *entry;
    bool is_late; /* left by an earlier manager */
};

/* Adds the set on all ranks or on none. */
static varve_status set_levels_hold(
    const struct offer *o, struct vv_level_queue *q, varve_error *error)
{
    struct vv_waiting *w = NULL;
    varve_error reason = { 0 };
    varve_status status = vv_waiting_make(q, o->listing, o->entry, &w, &reason);
    if (status)
        vv_level_queue_note_missed(q, o->entry->counter, &reason);
    vv_interval_begin(&q->interval, o->entry->step, q->level.context.system);
    varve_status all = vv_agree(o->comm, status, &reason);
    if (all && !status)
        vv_waiting_free(q, w);
    if (all == VARVE_DISCONNECTED)
        *error = reason;
    if (all)
        return all == VARVE_DISCONNECTED ? all : VARVE_OK;
    q->offered = o->entry->counter;
    append_held(q, w);
    return VARVE_OK;
}

/* Call if an older set is the newest complete one. Returns true if the set is
 * due: by its step, or always if there is only a time interval. */
static bool is_left_to_do(
    const struct vv_level_queue *q, const struct vv_entry *entry)
{
    struct vv_interval interval = q->interval;
    bool by_time = interval.seconds && !interval.steps;
    interval.seconds = 0;
    return by_time ||
           vv_interval_is_over(&interval, entry->step, q->level.context.system);
}

/* The set is due if rank 0 finds that it is, or if a rank missed one. */
static bool set_levels_wants(const struct offer *o, struct vv_level_queue *q)
{
    if (o->is_late && o->entry->counter <= q->offered)
        return false;
    if (o->comm->rank != 0)
        return vv_level_queue_owes(q);
    return o->is_late ? is_left_to_do(q, o->entry)
                      : vv_level_queue_is_due(q, o->entry);
}

static varve_status offer_to(
    const struct offer *o, struct vv_level_queue *q, varve_error *error)
{
    uint64_t is_due = set_levels_wants(o, q);
    VV_TRY(vv_comm_allreduce_max(o->comm, &is_due, error));
    if (is_due)
        VV_TRY(set_levels_hold(o, q, error));
    VV_TRY(set_levels_advance(o->comm, q, error));
    while (q->held_count > q->max_pending)
        set_levels_leave_out(q);
    vv_level_queue_go_on(q);
    return VARVE_OK;
}

static varve_status offer_to_all(
    const struct offer *o, struct vv_levels *levels, varve_error *error)
{
    if (levels->count == 0 || vv_levels_are_lost(levels))
        return VARVE_OK;
    for (size_t i = 0; i < levels->count; i++)
        VV_TRY(offer_to(o, &levels->all[i], error));
    return VARVE_OK;
}

varve_status vv_set_levels_offer(const varve_comm *comm,
    struct vv_levels *levels, struct vv_listing *listing,
    const struct vv_entry *entry, varve_error *error)
{
    const struct offer offer = { comm, listing, entry, .is_late = false };
    return offer_to_all(&offer, levels, error);
}

varve_status vv_set_levels_catch_up(const varve_comm *comm,
    struct vv_levels *levels, struct vv_listing *listing,
    const struct vv_entry *entry, varve_error *error)
{
    const struct offer offer = { comm, listing, entry, .is_late = true };
    return offer_to_all(&offer, levels, error);
}

/* --- Waiting for it ----------------------------------------------------- */

/* The remaining work of each rank, and if there will be more. */
varve_status vv_set_levels_drain(const varve_comm *comm,
    struct vv_levels *levels, int64_t deadline, varve_error *error)
{
    for (bool goes_on = levels->count > 0; goes_on;) {
        varve_status status = vv_levels_drain(levels, deadline, error);
        VV_TRY(vv_agree(comm, status, error));
        goes_on = false;
        for (size_t i = 0; i < levels->count; i++) {
            goes_on |= levels->all[i].has_released;
            VV_TRY(set_levels_advance(comm, &levels->all[i], error));
        }
    }
    return VARVE_OK;
}
