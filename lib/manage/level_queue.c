/* level_queue.c - Adds checkpoints on the program's thread, and copies them on
 * the level's thread.
 *
 * SPDX-License-Identifier: MIT
 */
#include "level_queue.h"

#include <string.h>

#include "allocator.h"
#include "failure.h"
#include "file.h"
#include "lease.h"
#include "monitor.h"
#include "store.h"
#include "system.h"
#include "try.h"

/* --- What waits --------------------------------------------------------- */

void vv_waiting_free(struct vv_level_queue *q, struct vv_waiting *w)
{
    const varve_allocator *a = &q->level.context.allocator;
    if (!w)
        return;
    vv_lease_end(&q->level.context, &w->lease);
    vv_release_string(a, w->path);
    vv_release(a, w, sizeof *w);
}

/* Takes a lease, except in stores, which have none. */
static varve_status take_lease(
    const struct vv_level_queue *q, struct vv_waiting *w, varve_error *error)
{
    return vv_is_of_store(w->path)
               ? VARVE_OK
               : vv_lease_take(&q->level.context, w->path, &w->lease, error);
}

varve_status vv_waiting_make(struct vv_level_queue *q, struct vv_listing *from,
    const struct vv_entry *entry, struct vv_waiting **made, varve_error *error)
{
    const varve_allocator *a = &q->level.context.allocator;
    const char *path = vv_listing_entry_path(from, entry, VARVE_SUFFIX);
    struct vv_waiting *w = vv_allocate_zeroed(a, sizeof *w);
    if (!w)
        return vv_fail_memory(error, "a checkpoint that waits");
    w->lease.file = -1;
    w->path = from->path.failed ? NULL : vv_copy_string(a, path);
    w->original = (struct vv_original){ .path = w->path,
        .number = entry->number,
        .counter = entry->counter,
        .step = entry->step,
        .identity = entry->identity,
        .parent = entry->parent,
        .parent_counter = entry->parent_counter,
        .origin = entry->origin,
        .ancestry = entry->ancestry };
    memcpy(w->original.run, entry->run, sizeof w->original.run);
    varve_status status =
        w->path ? take_lease(q, w, error)
                : vv_fail_memory(error, "the path of a checkpoint that waits");
    if (status)
        vv_waiting_free(q, w);
    else
        *made = w;
    return status;
}

/* Call inside the monitor, as the functions below. Removes an item. */
static struct vv_waiting *level_queue_take(
    struct vv_level_queue *q, struct vv_waiting **link)
{
    struct vv_waiting *w = *link;
    *link = w->next;
    w->next = NULL;
    q->count--;
    return w;
}

static void leave_out_oldest(struct vv_level_queue *q)
{
    vv_waiting_free(q, level_queue_take(q, &q->first));
    q->left_out++;
}

/* Adds an item at the end, and removes an older one with its name. */
static void level_queue_append(struct vv_level_queue *q, struct vv_waiting *w)
{
    struct vv_waiting **link = &q->first;
    while (*link) {
        if ((*link)->original.number == w->original.number)
            vv_waiting_free(q, level_queue_take(q, link));
        else
            link = &(*link)->next;
    }
    *link = w;
    q->count++;
    while (q->count > q->max_pending)
        leave_out_oldest(q);
}

/* Puts an item back at the beginning. If the queue is then too long, the oldest
 * item is skipped. */
static void level_queue_put_back(struct vv_level_queue *q, struct vv_waiting *w)
{
    w->next = q->first;
    q->first = w;
    q->count++;
    if (q->count > q->max_pending)
        leave_out_oldest(q);
}

/* --- The work ----------------------------------------------------------- */

static void level_queue_note_failure(struct vv_level_queue *q, const char *what,
    const char *whose, const varve_error *reason)
{
    vv_fail_because(&q->failure, reason, "%s: %s%s failed",
        q->level.listing.directory, what, whose);
}

void vv_level_queue_note(
    struct vv_level_queue *q, const char *what, const varve_error *reason)
{
    vv_monitor_enter(q->worker.monitor);
    level_queue_note_failure(q, what, "", reason);
    vv_monitor_leave(q->worker.monitor);
}

/* Records a missed checkpoint: the next one is due, unless a later one is
 * queued. */
static void owe(struct vv_level_queue *q, uint64_t counter)
{
    if (q->owed < counter)
        q->owed = counter;
}

/* Returns true for failures that a retry cannot fix. */
static bool is_of_the_original(varve_status status)
{
    return status == VARVE_CORRUPT || status == VARVE_TRUNCATED ||
           status == VARVE_EMPTY_FILE || status == VARVE_NOT_A_CHECKPOINT ||
           status == VARVE_TOO_NEW || status == VARVE_LIMIT ||
           status == VARVE_NOT_FOUND;
}

static void level_queue_note_failed(
    struct vv_level_queue *q, struct vv_waiting *w, const varve_error *error)
{
    q->failures++;
    level_queue_note_failure(q, "copy of ", w->path, error);
    w->original.is_unsure |= error->status == VARVE_UNKNOWN_OUTCOME;
    /* The number stays in use by another checkpoint at the level. */
    if (is_of_the_original(error->status) || error->status == VARVE_EXISTS) {
        owe(q, w->original.counter);
        vv_waiting_free(q, w);
        return;
    }
    level_queue_put_back(q, w);
    q->rests = !q->has_news;
}

static void note_copied(struct vv_level_queue *q, struct vv_waiting *w,
    uint64_t size, const varve_error *tidied)
{
    q->copied += size;
    q->is_copied = true;
    if (!q->level.is_of_sets) {
        q->has_latest = true;
        q->latest = w->original.number;
        q->latest_step = w->original.step;
    }
    if (q->owed <= w->original.counter)
        q->owed = 0;
    if (!q->owed)
        q->failure.status = VARVE_OK;
    if (tidied->status)
        level_queue_note_failure(q, "pruning", "", tidied);
    vv_waiting_free(q, w);
}

static void note_resumed(struct vv_level_queue *q)
{
    q->level.is_resumed = q->is_resumed;
    q->level.resumed = q->resumed;
}

static void level_queue_serve_one(struct vv_level_queue *q)
{
    varve_error error = { 0 }, tidied = { 0 };
    uint64_t size;
    struct vv_waiting *w = q->current = level_queue_take(q, &q->first);
    q->has_news = false;
    note_resumed(q);
    vv_monitor_leave(q->worker.monitor);
    error.status = vv_level_copy(&q->level, &w->original, &size, &error);
    if (!error.status && !q->level.is_of_sets)
        tidied.status = vv_level_tidy(&q->level, w->original.number, &tidied);
    uint64_t there = vv_listing_highest(&q->level.listing, !q->level.replaces);
    vv_monitor_enter(q->worker.monitor);
    q->current = NULL;
    if (q->highest_there < there)
        q->highest_there = there;
    if (error.status)
        level_queue_note_failed(q, w, &error);
    else
        note_copied(q, w, size, &tidied);
    vv_monitor_wake(q->worker.monitor);
}

/* Deletes old sets at the level, after all ranks have a new one. */
static void tidy_sets(struct vv_level_queue *q)
{
    varve_error error = { 0 };
    uint64_t good = q->latest;
    struct vv_buffer *whole = &q->level.whole;
    q->tidies = false;
    q->is_tidying = true;
    whole->size = 0;
    whole->failed = false;
    vv_buffer_add(whole, q->whole.data, q->whole.size);
    note_resumed(q);
    vv_monitor_leave(q->worker.monitor);
    error.status = whole->failed ? vv_fail_memory(&error, "a list of sets")
                                 : vv_level_tidy(&q->level, good, &error);
    vv_monitor_enter(q->worker.monitor);
    q->is_tidying = false;
    if (error.status)
        level_queue_note_failure(q, "pruning", "", &error);
    vv_monitor_wake(q->worker.monitor);
}

static bool level_queue_work(void *user)
{
    struct vv_level_queue *q = user;
    if (q->worker.ends || (!q->tidies && (!q->first || q->rests)))
        return false;
    if (q->tidies)
        tidy_sets(q);
    else
        level_queue_serve_one(q);
    return true;
}

/* --- What the program's thread does ------------------------------------- */

void vv_level_queue_go_on(struct vv_level_queue *q)
{
    vv_monitor_enter(q->worker.monitor);
    int result = q->first ? vv_worker_thread_start(&q->worker) : 0;
    if (result)
        vv_fail_system(&q->failure, -result, "starting the thread that copies",
            q->level.listing.directory);
    q->asked = q->failures;
    q->has_news = true;
    q->rests = false;
    vv_monitor_wake(q->worker.monitor);
    vv_monitor_leave(q->worker.monitor);
}

void vv_level_queue_note_missed(
    struct vv_level_queue *q, uint64_t counter, const varve_error *reason)
{
    vv_monitor_enter(q->worker.monitor);
    owe(q, counter);
    level_queue_note_failure(q, "what is due there", "", reason);
    vv_monitor_leave(q->worker.monitor);
}

void vv_level_queue_hold(struct vv_level_queue *q, const uint64_t *number)
{
    vv_monitor_enter(q->worker.monitor);
    q->is_resumed = number != NULL;
    q->resumed = number ? *number : 0;
    vv_monitor_leave(q->worker.monitor);
}

void vv_level_queue_put(struct vv_level_queue *q, struct vv_waiting *w)
{
    vv_monitor_enter(q->worker.monitor);
    q->is_copied = false;
    level_queue_append(q, w);
    vv_monitor_leave(q->worker.monitor);
}

void vv_level_queue_add(struct vv_level_queue *q, struct vv_listing *listing,
    const struct vv_entry *entry)
{
    struct vv_waiting *w = NULL;
    varve_error error = { 0 };
    varve_status status = vv_waiting_make(q, listing, entry, &w, &error);
    vv_interval_begin(&q->interval, entry->step, q->level.context.system);
    if (status)
        vv_level_queue_note_missed(q, entry->counter, &error);
    else
        vv_level_queue_put(q, w);
}

bool vv_level_queue_owes(struct vv_level_queue *q)
{
    vv_monitor_enter(q->worker.monitor);
    bool is_owed = q->owed > 0 && !q->first && !q->held;
    vv_monitor_leave(q->worker.monitor);
    return is_owed;
}

bool vv_level_queue_is_due(
    struct vv_level_queue *q, const struct vv_entry *entry)
{
    const struct vv_system *system = q->level.context.system;
    return vv_level_queue_owes(q) ||
           vv_interval_is_over(&q->interval, entry->step, system);
}

/* --- Waiting for it ----------------------------------------------------- */

static varve_status fail_lacking(
    const struct vv_level_queue *q, varve_error *error)
{
    const struct vv_waiting *w = q->current ? q->current : q->first;
    size_t count = q->count + (q->current != NULL);
    return vv_fail(error, VARVE_TIMEOUT,
        "%s: timed out: %zu %s pending, the oldest of %s",
        q->level.listing.directory, count,
        count == 1 ? "copy is" : "copies are", w->path);
}

/* Call inside the monitor, after vv_level_queue_go_on. */
static varve_status level_queue_wait_for(
    struct vv_level_queue *q, int64_t deadline, varve_error *error)
{
    const struct vv_system *system = q->level.context.system;
    while (q->first || q->current || q->tidies || q->is_tidying) {
        int64_t rest = deadline - system->uptime(system->state);
        if (!q->worker.is_started || (q->failures != q->asked && q->rests))
            break;
        if (deadline < 0) {
            vv_monitor_wait(q->worker.monitor, -1);
        } else if (rest <= 0 || !vv_monitor_wait(q->worker.monitor, rest)) {
            if (q->first || q->current)
                return fail_lacking(q, error);
            break;
        }
    }
    if (!q->first && !q->owed)
        return VARVE_OK;
    *error = q->failure;
    return error->status;
}

varve_status vv_level_queue_drain(
    struct vv_level_queue *q, int64_t deadline, varve_error *error)
{
    vv_monitor_enter(q->worker.monitor);
    varve_status status = level_queue_wait_for(q, deadline, error);
    vv_monitor_leave(q->worker.monitor);
    return status;
}

uint64_t vv_level_queue_highest(struct vv_level_queue *q)
{
    vv_monitor_enter(q->worker.monitor);
    uint64_t there = q->highest_there;
    vv_monitor_leave(q->worker.monitor);
    return there > q->highest ? there : q->highest;
}

bool vv_level_queue_has_failed(struct vv_level_queue *q, varve_error *failure)
{
    vv_monitor_enter(q->worker.monitor);
    bool has_failed = q->failure.status != VARVE_OK;
    if (has_failed)
        *failure = q->failure;
    vv_monitor_leave(q->worker.monitor);
    return has_failed;
}

/* --- Telling ------------------------------------------------------------ */

static const char *level_queue_path_of(
    struct vv_level_queue *q, uint64_t number)
{
    q->text.size = 0;
    q->text.failed = false;
    vv_buffer_add_string(
        &q->text, vv_listing_path(&q->seen, &number, VARVE_SUFFIX));
    const char *path = vv_buffer_string(&q->text);
    return q->text.failed || q->seen.path.failed ? NULL : path;
}

void vv_level_queue_state(struct vv_level_queue *q, varve_level_state *state)
{
    vv_monitor_enter(q->worker.monitor);
    bool has_latest = q->has_latest;
    uint64_t latest = q->latest;
    *state = (varve_level_state){ .step = has_latest ? q->latest_step : -1,
        .waiting = q->count + (q->current != NULL) + q->held_count,
        .left_out = q->left_out,
        .copied = q->copied };
    q->reported = q->failure;
    vv_monitor_leave(q->worker.monitor);
    state->latest = has_latest ? level_queue_path_of(q, latest) : NULL;
}

/* --- Beginning and ending ----------------------------------------------- */

varve_status vv_level_queue_begin(struct vv_level_queue *q,
    const varve_level *o, const struct vv_listing *like, varve_error *error)
{
    const struct vv_context *context = like->context;
    q->max_pending = o->max_pending ? o->max_pending : 1;
    q->interval = (struct vv_interval){
        .steps = o->every_steps,
        .seconds = o->every_seconds,
        .last_uptime = context->system->uptime(context->system->state),
    };
    q->level.policy.keep_last = o->keep_last;
    q->level.policy.keep_every_steps = o->keep_every_steps;
    q->level.policy.keep_best = o->keep_best;
    q->level.bytes_per_second = o->bytes_per_second;
    q->level.is_incremental = o->incremental;
    atomic_init(&q->level.is_cancelled, false);
    vv_buffer_init(&q->text, &context->allocator);
    vv_buffer_init(&q->whole, &context->allocator);
    varve_status status = vv_level_begin(
        &q->level, context, o->directory, like->prefix, like->metric, error);
    VV_TRY(vv_listing_begin(
        &q->seen, context, o->directory, like->prefix, like->metric, error));
    VV_TRY(status);
    if (!vv_worker_thread_init(
            &q->worker, &q->level.context, level_queue_work, q))
        return vv_fail_memory(error, "a level");
    return VARVE_OK;
}

void vv_level_queue_end(struct vv_level_queue *q)
{
    if (!q->seen.context)
        return; /* not begun */
    atomic_store(&q->level.is_cancelled, true);
    vv_worker_thread_end(&q->worker);
    while (q->first)
        vv_waiting_free(q, level_queue_take(q, &q->first));
    for (struct vv_waiting *w; (w = q->held) != NULL;) {
        q->held = w->next;
        vv_waiting_free(q, w);
    }
    vv_listing_clear(&q->seen);
    vv_buffer_clear(&q->text);
    vv_buffer_clear(&q->whole);
    vv_level_clear(&q->level);
}
