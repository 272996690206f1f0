/* manager_save.c - Saves due checkpoints, deletes old ones, writes the ledger.
 *
 * SPDX-License-Identifier: MIT
 */
#include "manager_save.h"

#include "background.h"
#include "comm_collectives.h"
#include "failure.h"
#include "job_together.h"
#include "layer_prune.h"
#include "lineage.h"
#include "listing_refresh.h"
#include "manager_look.h"
#include "manager_together.h"
#include "resume_match.h"
#include "retention.h"
#include "save.h"
#include "save_together.h"
#include "set_levels.h"
#include "store.h"
#include "system.h"
#include "try.h"
#include "write.h"

/* --- When --------------------------------------------------------------- */

void varve_manager_request_save(varve_manager *m)
{
    if (m)
        atomic_store(&m->is_requested, true);
}

static bool is_requested(const varve_manager *m)
{
    return atomic_load(&((varve_manager *)m)->is_requested);
}

bool varve_manager_is_due(const varve_manager *m, int64_t step)
{
    if (!m)
        return false;
    return is_requested(m) ||
           vv_interval_is_over(&m->interval, step, m->context.system);
}

/* Each rank can request a collective save; only rank 0 has the clock. */
static bool manager_save_wants(const varve_manager *m, int64_t step)
{
    return vv_manager_leads(m) ? varve_manager_is_due(m, step)
                               : is_requested(m);
}

/* --- The checkpoint ----------------------------------------------------- */

struct saving {
    struct vv_manager_order order;
    varve_write_options write;
    struct vv_buffer base; /* path of the base checkpoint */
    struct vv_manager_saving *flight;
};

/* One above the highest counter of the root, the directory and the levels. */
static varve_status next_counter(
    const varve_manager *m, uint64_t *counter, varve_error *error)
{
    const uint64_t all[] = { varve_save_counter(m->root),
        vv_listing_highest(&m->listing, !m->options.number_by_step),
        vv_levels_highest(&m->levels) };
    *counter = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i] > *counter)
            *counter = all[i];
    if (*counter == UINT64_MAX)
        return vv_fail(error, VARVE_LIMIT,
            "%s: checkpoint numbers must be less than 2^64 - 1",
            m->listing.directory);
    ++*counter;
    return VARVE_OK;
}

/* For incremental saves: the newest intact checkpoint, or else the newest. */
static varve_status choose_base(
    varve_manager *m, struct saving *s, varve_error *error)
{
    const struct vv_listing *l = &m->listing;
    if (!s->write.incremental || s->write.increment.base || l->count == 0)
        return VARVE_OK;
    uint64_t number = m->has_good ? m->good : l->entries[l->count - 1].number;
    vv_buffer_add_string(
        &s->base, vv_listing_path(&m->listing, &number, VARVE_SUFFIX));
    s->write.increment.base = vv_buffer_string(&s->base);
    return s->base.failed || l->path.failed
               ? vv_fail_memory(error, "the name of a checkpoint")
               : VARVE_OK;
}

static varve_status manager_save_name_it(
    varve_manager *m, struct saving *s, varve_error *error)
{
    m->saved.size = 0;
    m->saved.failed = false;
    vv_buffer_add_string(&m->saved,
        vv_listing_path(&m->listing, &s->order.number, VARVE_SUFFIX));
    vv_buffer_string(&m->saved);
    if (m->saved.failed || m->listing.path.failed)
        return vv_fail_memory(error, "the name of a checkpoint");
    return choose_base(m, s, error);
}

/* The program can change its values when an asynchronous save has started. */
static varve_status manager_save_carry_out(
    varve_manager *m, struct saving *s, varve_status status, varve_error *error)
{
    const struct vv_save_request request = {
        .root = m->root,
        .target = (const char *)m->saved.data,
        .options = &s->write,
        .counter = s->order.counter,
        .sets_counter = true,
        .is_private = true,
        .is_swept = vv_is_alone(m->options.comm) && !m->listing.gone.size,
        .of = vv_has_nodes(&m->nodes) ? VV_OF_PARTS : VV_OF_ONE,
    };
    if (!m->options.async)
        return vv_save_now_together(m->options.comm, status, &request, error);
    s->write.async.zero_copy = false;
    m->job = vv_save_start_together(m->options.comm, status, &request, error);
    m->saved.size = 0;
    return m->job ? VARVE_OK : error->status;
}

/* If a process saves alone and holds the lock, what it writes determines the
 * entry of the new file. */
static void note_entry(varve_manager *m, const struct saving *s,
    const struct vv_manager_metadata *metadata,
    const varve_manager_save_options *o)
{
    struct vv_manager_saving *flight = s->flight;
    const struct vv_entry *older =
        vv_listing_find(&m->listing, s->order.number);
    flight->has_entry = vv_is_alone(m->options.comm) &&
                        !vv_has_nodes(&m->nodes) && m->lock.is_taken &&
                        !m->lock.is_absent &&
                        !vv_is_of_store(m->listing.directory);
    if (flight->has_entry)
        vv_saved_entry_begin(&flight->entry, &m->listing, s->order.number,
            s->order.counter, o->pin || (older && older->is_pinned),
            metadata->all, metadata->count);
}

static varve_status manager_save_write_with(varve_manager *m, struct saving *s,
    const varve_manager_save_options *o, varve_error *error)
{
    struct vv_manager_metadata metadata;
    if (m->options.write)
        s->write = *m->options.write;
    s->write.no_replace |= s->order.is_new;
    vv_buffer_init(&s->base, &m->context.allocator);
    varve_status status = vv_manager_metadata_collect(
        m, &s->order, &s->write, o, &metadata, error);
    s->write.metadata = metadata.all;
    s->write.metadata_count = metadata.count;
    if (!status)
        note_entry(m, s, &metadata, o);
    if (!status)
        status = manager_save_name_it(m, s, error);
    status = manager_save_carry_out(m, s, status, error);
    vv_buffer_clear(&s->base);
    vv_manager_metadata_clear(m, &metadata);
    return status;
}

/* --- What follows it ---------------------------------------------------- */

void vv_manager_prune_layers(varve_manager *m)
{
    varve_error error = { 0 };
    const char *path = vv_listing_path(&m->listing, NULL, "");
    if (!m->listing.path.failed && vv_prune_layers(&m->context, path, &error))
        vv_manager_warn(m, &error);
}

void vv_manager_tidy(varve_manager *m, bool may_delete)
{
    varve_error error = { 0 };
    size_t count = m->listing.count;
    if (may_delete && vv_prune_has_work(&m->listing, &m->decision) &&
        vv_manager_check_best(m, &error))
        vv_manager_warn(m, &error);
    if (may_delete && vv_prune(&m->listing, &m->decision, &error))
        vv_manager_warn(m, &error);
    if (m->listing.count < count)
        vv_manager_prune_layers(m);
    if (vv_listing_write_ledger(&m->listing, &error))
        vv_manager_warn(m, &error);
}

/* Queues durable checkpoints for the levels. */
static void manager_save_pass_on(
    varve_manager *m, const struct vv_manager_saving *s)
{
    struct vv_entry own = {
        .number = s->number, .counter = s->counter, .step = s->step
    };
    vv_entry_set_run(&own, m->run, m->parent);
    if (!vv_has_nodes(&m->nodes)) /* ranks with redundancy do it together */
        vv_levels_pass_on(&m->levels, &m->listing, &own, s->is_durable);
}

/* Call after the checkpoint is in place. Errors here are not errors of the
 * save. Nothing is deleted for a save that is not durable. */
static void look_and_tidy(varve_manager *m, const struct vv_manager_saving *s)
{
    varve_error error = { 0 };
    varve_status status = vv_manager_look_after(m, s, &error);
    manager_save_pass_on(m, s);
    if (status) {
        vv_manager_warn(m, &error);
        return;
    }
    vv_manager_tidy(m, s->is_durable);
    if (vv_levels_have_failed(&m->levels, &error))
        vv_manager_warn(m, &error);
}

/* Offers a set to the levels, independent of the listings of single ranks. A
 * communication failure is returned by the next operation. */
static void offer_set(varve_manager *m, const struct vv_manager_order *order)
{
    const struct vv_entry entry = {
        .number = order->number, .counter = order->counter, .step = order->step
    };
    varve_error error = { 0 };
    if (vv_has_nodes(&m->nodes) &&
        vv_set_levels_offer(m->comm, &m->levels, &m->listing, &entry, &error))
        vv_manager_warn(m, &error);
}

/* The pin is made before its checkpoint. A pin without a checkpoint was left by
 * a killed save or, without locks, by another program. */
static varve_status prepare_pin(varve_manager *m, uint64_t number,
    bool is_wanted, bool *is_new, varve_error *error)
{
    const struct vv_entry *older = vv_listing_find(&m->listing, number);
    *is_new = is_wanted && !(older && older->is_pinned);
    if (*is_new)
        return vv_manager_make_pin(m, number, error);
    if (!is_wanted && !older && !m->lock.is_absent)
        vv_manager_drop_pin(m, number);
    return VARVE_OK;
}

/* Intervals are counted from the call of the save. */
static void note_begun(varve_manager *m, struct vv_manager_saving *s)
{
    s->older = m->interval;
    s->was_requested = atomic_exchange(&m->is_requested, false);
    vv_interval_begin(&m->interval, s->step, m->context.system);
}

static void manager_save_note_failed(
    varve_manager *m, const struct vv_manager_saving *s)
{
    m->interval = s->older;
    if (s->was_requested)
        atomic_store(&m->is_requested, true);
}

/* Returns true if the checkpoint may exist after a failure. */
static bool is_open_end(varve_status status)
{
    return status == VARVE_UNKNOWN_OUTCOME || status == VARVE_DISCONNECTED;
}

/* Without locks that all nodes share, another manager can have begun from an
 * older checkpoint while this one was written, and can delete it. */
static bool manager_save_is_confirmed(varve_manager *m)
{
    m->taken_over.status = VARVE_OK;
    return vv_has_nodes(&m->nodes) ||
           !vv_manager_lock_confirm(&m->lock, &m->listing, &m->taken_over);
}

/* Call when the save is complete or has failed. */
static void manager_save_conclude(
    varve_manager *m, const struct vv_manager_saving *s, varve_status status)
{
    /* The file of this name may have been replaced, even if a rename failed. */
    struct vv_entry *older = vv_listing_find(&m->listing, s->number);
    if (older)
        older->is_read = false;
    if (status) {
        m->saved.size = 0;
        if (s->is_new_pin && !is_open_end(status) && !m->lock.is_absent)
            vv_manager_drop_pin(m, s->number);
        return;
    }
    /* A save that is not durable does not count as intact. */
    m->has_good |= s->is_durable;
    m->good = s->is_durable ? s->number : m->good;
    m->has_saved = true;
    if (!vv_manager_leads(m))
        return;
    vv_listing_hold(&m->listing);
    if (manager_save_is_confirmed(m))
        look_and_tidy(m, s);
    else
        m->saved.size = 0;
    vv_listing_let_go(&m->listing);
}

/* Returns `taken_over` once, on all ranks, and broadcasts the listing. */
static varve_status report_taken_over(varve_manager *m, varve_error *error)
{
    varve_error reason = m->taken_over;
    m->taken_over.status = VARVE_OK;
    varve_status status = vv_manager_broadcast(m, reason.status, &reason);
    if (status)
        *error = reason;
    return status;
}

void vv_manager_finish_pending_save(varve_manager *m)
{
    varve_error reason = { 0 };
    if (vv_nodes_behind_end(&m->nodes.behind, &reason))
        vv_manager_warn(m, &reason);
    if (!m->job)
        return;
    varve_status status = varve_job_wait(m->job, &reason);
    const char *path = varve_job_path(m->job);
    if (m->job->is_lost)
        m->flight.is_new_pin = false; /* it belongs to the parent process */
    m->saved.size = 0;
    m->saved.failed = false;
    vv_buffer_add_string(&m->saved, path ? path : "");
    vv_buffer_string(&m->saved);
    varve_job_free(m->job);
    m->job = NULL;
    if (status)
        manager_save_note_failed(m, &m->flight);
    manager_save_conclude(m, &m->flight, status);
    if (status && !m->failure.status)
        m->failure = reason;
    if (vv_is_alone(m->options.comm))
        vv_manager_keep_takeover(m);
}

void vv_manager_keep_takeover(varve_manager *m)
{
    if (m->taken_over.status && !m->failure.status)
        m->failure = m->taken_over;
    m->taken_over.status = VARVE_OK;
}

/* Returns the same status on all ranks, and broadcasts the listing. A call that
 * is not a save, such as a refresh, can have completed the save before, without
 * returning `taken_over`. */
static varve_status land_and_broadcast(varve_manager *m, varve_error *error)
{
    bool has_one = m->job != NULL;
    vv_manager_finish_pending_save(m);
    if (has_one)
        return report_taken_over(m, error);
    if (!m->options.async || vv_is_alone(m->options.comm))
        return VARVE_OK;
    varve_error reason = m->taken_over;
    m->taken_over.status = VARVE_OK;
    return vv_hand_over(
        vv_manager_agree(m, reason.status, &reason), &reason, error);
}

/* The save is complete on all ranks if one rank finds that it is. */
static varve_status land_if_done(
    varve_manager *m, bool *has_landed, varve_error *error)
{
    *has_landed = m->job && varve_job_is_done(m->job);
    if (m->job)
        VV_TRY(vv_manager_any(m, VARVE_OK, has_landed, error));
    if (*has_landed)
        vv_manager_finish_pending_save(m);
    return VARVE_OK;
}

static varve_status manager_save_broadcast(varve_manager *m, varve_error *error)
{
    varve_status status = m->failure.status;
    if (!status)
        return VARVE_OK;
    vv_fail_because(error, &m->failure, "asynchronous save failed");
    m->failure.status = VARVE_OK;
    return status;
}

/* Returns an uptime; negative: never. */
static int64_t moment_in(const varve_manager *m, double seconds)
{
    const struct vv_system *system = m->context.system;
    const double most = (double)(INT64_MAX / VV_SECOND / 4);
    return seconds >= 0 && seconds < most
               ? system->uptime(system->state) +
                     (int64_t)(seconds * (double)VV_SECOND)
               : -1;
}

static varve_status drain(
    varve_manager *m, int64_t deadline, varve_error *error)
{
    return vv_has_nodes(&m->nodes)
               ? vv_set_levels_drain(m->comm, &m->levels, deadline, error)
               : vv_levels_drain(&m->levels, deadline, error);
}

varve_status varve_manager_drain(
    varve_manager *m, double seconds, varve_error *error)
{
    varve_error reason = { 0 };
    if (!m)
        return vv_fail_none(error, "manager", "varve_manager_new");
    varve_status status = land_and_broadcast(m, &reason);
    vv_levels_catch_up(&m->levels, &m->listing, NULL);
    if (!status)
        status = drain(m, moment_in(m, seconds), &reason);
    status = vv_manager_agree(m, status, &reason);
    return vv_hand_over(status, &reason, error);
}

varve_status varve_manager_wait(varve_manager *m, varve_error *error)
{
    if (!m)
        return vv_fail_none(error, "manager", "varve_manager_new");
    varve_error reason = { 0 };
    varve_status status = land_and_broadcast(m, &reason);
    if (!status)
        status = manager_save_broadcast(m, &reason);
    return vv_hand_over(status, &reason, error);
}

/* Rank 0 finds the counter of the next save. */
static varve_status find_place(
    varve_manager *m, struct vv_manager_order *order, varve_error *error)
{
    if (!m->options.async)
        VV_TRY(vv_background_settle(m->graph, error));
    vv_listing_hold(&m->listing);
    varve_status status = vv_manager_lock(m, 0, error);
    if (!status) {
        vv_manager_lock_activate(&m->lock, &m->context, m->run);
        status = vv_manager_look_at_names(m, error);
    }
    if (!status)
        status = vv_manager_check_resumed(m, error);
    vv_listing_let_go(&m->listing);
    VV_TRY(status);
    return next_counter(m, &order->counter, error);
}

/* Rank 0 decides what all ranks save. */
static varve_status give_order(varve_manager *m,
    const varve_manager_save_options *o, struct vv_manager_order *order,
    struct vv_manager_saving *flight, varve_error *error)
{
    const struct vv_system *system = m->context.system;
    order->number = o->number                   ? o->number
                    : m->options.number_by_step ? (uint64_t)order->step
                                                : order->counter;
    /* Only a number that is a step can already exist. */
    order->is_new = !m->options.number_by_step || o->number != 0 ||
                    !vv_manager_may_replace(m, order->number);
    if (!order->is_new)
        VV_TRY(vv_manager_lock_confirm(&m->lock, &m->listing, error));
    order->time = system->now(system->state) / VV_SECOND;
    order->has_metric = o->has_metric;
    order->metric = o->metric;
    return prepare_pin(m, order->number, o->pin, &flight->is_new_pin, error);
}

/* Finds the sets that `keep_bytes` keeps. An error becomes a warning and does
 * not fail the save. */
static void manager_save_weigh(varve_manager *m)
{
    varve_error error = { 0 };
    if (vv_nodes_find_oldest_to_keep(
            &m->nodes, &m->listing, m->policy.keep_bytes, &error))
        vv_manager_warn(m, &error);
}

static varve_status manager_save_save(varve_manager *m, int64_t step,
    const varve_manager_save_options *o, varve_error *error)
{
    struct vv_manager_saving flight = { .step = step };
    struct saving s = { .order = { .step = step }, .flight = &flight };
    varve_status status = VARVE_OK;
    if (vv_has_nodes(&m->nodes))
        vv_manager_finish_pending_save(m);
    if (vv_manager_leads(m))
        status = find_place(m, &s.order, error);
    status = vv_nodes_count(&m->nodes, status, &s.order.counter, error);
    if (!status && vv_manager_leads(m))
        status = give_order(m, o, &s.order, &flight, error);
    status = vv_manager_bcast_order(m, status, &s.order, error);
    flight.number = s.order.number;
    flight.counter = s.order.counter;
    if (!status) {
        status = manager_save_write_with(m, &s, o, error);
        status = vv_nodes_protect(
            &m->nodes, &m->listing, flight.number, status, error);
    }
    flight.is_durable = !s.write.no_sync;
    if (!status)
        manager_save_weigh(m);
    if (!status)
        note_begun(m, &flight);
    if (m->job)
        m->flight = flight;
    else
        manager_save_conclude(m, &flight, status);
    if (!status && flight.is_durable)
        offer_set(m, &s.order);
    return status;
}

/* A completed save stays valid if a rank fails afterwards. The next call
 * broadcasts the listing again. */
static varve_status save_and_broadcast(varve_manager *m, int64_t step,
    const varve_manager_save_options *o, varve_error *error)
{
    varve_error reason = { 0 };
    varve_status status = manager_save_save(m, step, o, error);
    varve_status reported = report_taken_over(m, &reason);
    if (!status && reported == VARVE_NO_MEMORY)
        m->warning = reason;
    else if (!status && reported)
        *error = reason;
    return status || reported == VARVE_NO_MEMORY ? status : reported;
}

static varve_status manager_save_check_save(varve_manager *m, int64_t step,
    const varve_manager_save_options *options, varve_error *error)
{
    if (!m->root)
        return vv_fail(error, VARVE_MISUSE, "manager: its graph was freed");
    VV_TRY(varve_graph_check(m->graph, error));
    VV_TRY(VV_CHECK_OPTIONS(options, error));
    VV_TRY(vv_check_list(
        options->metadata, options->metadata_count, "metadata", error));
    if (step < 0)
        return vv_fail(error, VARVE_MISUSE, "%s: the step must not be negative",
            m->listing.directory);
    return VARVE_OK;
}

static varve_status save_if_due(varve_manager *m, int64_t step,
    const varve_manager_save_options *o, varve_error *error)
{
    varve_status status = manager_save_check_save(m, step, o, error);
    m->saved.size = 0;
    m->warning.status = VARVE_OK;
    bool has_landed;
    VV_TRY(land_if_done(m, &has_landed, error));
    if (!status)
        status = manager_save_broadcast(m, error);
    bool is_due = !status && (o->force || manager_save_wants(m, step));
    VV_TRY(vv_manager_any(m, status, &is_due, error));
    if (!is_due)
        return has_landed ? report_taken_over(m, error) : VARVE_OK;
    if (has_landed)
        VV_TRY(report_taken_over(m, error));
    VV_TRY(varve_manager_wait(m, error));
    VV_TRY(vv_resume_match_require(m, error));
    VV_TRY(vv_resume_match_weigh(m, error));
    return save_and_broadcast(m, step, o, error);
}

varve_status varve_manager_save_with(varve_manager *m, int64_t step,
    const varve_manager_save_options *options, varve_error *error)
{
    static const varve_manager_save_options none;
    varve_error reason = { 0 };
    if (!m)
        return vv_fail_none(error, "manager", "varve_manager_new");
    varve_status status =
        save_if_due(m, step, options ? options : &none, &reason);
    return vv_hand_over(status, &reason, error);
}

varve_status varve_manager_save(
    varve_manager *m, int64_t step, varve_error *error)
{
    return varve_manager_save_with(m, step, NULL, error);
}

const char *varve_manager_saved(const varve_manager *m)
{
    return m && m->saved.size ? (const char *)m->saved.data : NULL;
}
