/* record_prefetch.c - Reads batches into a ring of slots on a thread.
 *
 * SPDX-License-Identifier: MIT
 */
#include "record_prefetch.h"

#include <inttypes.h>
#include <string.h>

#include "allocator.h"
#include "failure.h"
#include "monitor.h"
#include "try.h"
#include "worker.h"

/* --- Batches -------------------------------------------------------------- */

void vv_record_batch_init(
    struct vv_record_batch *batch, const varve_allocator *allocator)
{
    *batch = (struct vv_record_batch){ .capacity = 0 };
    vv_buffer_init(&batch->sink.bytes, allocator);
}

void vv_record_batch_clear(struct vv_record_batch *batch)
{
    vv_release(batch->sink.bytes.allocator, batch->records,
        batch->capacity * sizeof *batch->records);
    vv_buffer_clear(&batch->sink.bytes);
    batch->records = NULL;
    batch->capacity = 0;
}

static varve_status read_one(struct vv_record_batch *batch,
    const varve_source *source, uint64_t index, varve_error *error)
{
    varve_error own;
    own.status = VARVE_OK;
    varve_status status = source->read(source->self, index, &batch->sink, &own);
    if (batch->sink.bytes.failed)
        return vv_fail_memory(error, "a record");
    if (!status)
        return VARVE_OK;
    if (own.status)
        return vv_pass_failure(error, &own);
    return vv_fail(error, vv_status_of_callback(status),
        "%s: record %" PRIu64 ": its source failed with %s", source->name,
        index, varve_status_name(status));
}

varve_status vv_record_batch_read(struct vv_record_batch *batch,
    const varve_source *source, const struct vv_record_step *step,
    varve_error *error)
{
    struct vv_permutation order = vv_record_order(&step->from);
    struct vv_buffer *bytes = vv_emptied(&batch->sink.bytes);
    if (!vv_grow_array(bytes->allocator, &batch->records, &batch->capacity,
            step->count, sizeof *batch->records))
        return vv_fail_memory(error, "a batch of records");
    for (size_t i = 0; i < step->count; i++) {
        uint64_t index = vv_record_number(&step->from, &order, i);
        size_t begin = bytes->size;
        VV_TRY(read_one(batch, source, index, error));
        batch->records[i].index = index;
        batch->records[i].size = bytes->size - begin;
    }
    /* The addresses are set after the buffer has its final size. */
    const unsigned char *at = bytes->data;
    for (size_t i = 0; i < step->count; i++) {
        batch->records[i].data = at ? (const void *)at : "";
        at = at ? at + batch->records[i].size : NULL;
    }
    return VARVE_OK;
}

varve_status vv_record_batch_confirm(vv_record_check *check, void *self,
    varve_status status, bool is_last, varve_error *error)
{
    bool may_be_changed = status == VARVE_CORRUPT || status == VARVE_TRUNCATED;
    if (!check || (status && !may_be_changed))
        return status;
    varve_error reason; /* large, so it is initialized only by a failure */
    reason.status = VARVE_OK;
    if (check(self, status || is_last, &reason))
        return vv_pass_failure(error, &reason);
    return status;
}

/* --- Reading ahead -------------------------------------------------------- */

struct prefetched {
    struct vv_record_step step;
    struct vv_record_batch batch;
};

struct vv_record_prefetch {
    struct vv_context context;
    varve_source source;
    vv_record_hint *hint;
    vv_record_check *check;
    uint64_t most;
    struct vv_worker_thread worker;
    struct prefetched *slots;
    /* one more than can be ready, because the program uses the slot before
     * `first` */
    size_t slot_count;

    /* used only by the thread */
    /* position after the last record with a hint */
    struct vv_record_position hinted;
    uint64_t hinted_ahead; /* number of these records that were not read yet */

    /* guarded by the monitor */
    size_t first; /* first of the ready slots */
    size_t ready;
    uint64_t ahead; /* number of records in the ready slots */
    /* `next` was changed by the program, and `hinted` is outdated */
    bool has_moved;
    bool is_active; /* the thread must read on from `next` */
    bool is_reading;
    bool is_stale; /* the batch that is being read is no longer needed */
    struct vv_record_position next; /* position after the ready slots */
    struct vv_record_choice choice;
    varve_error failure; /* of the batch at `next`; VARVE_OK: none */
};

/* --- The thread ----------------------------------------------------------- */

static struct prefetched *slot_at(
    const struct vv_record_prefetch *p, size_t ahead)
{
    return &p->slots[(p->first + ahead) % p->slot_count];
}

/* Reads one record, unless the batch is no longer needed. */
static varve_status read_wanted(
    void *self, uint64_t index, varve_sink *sink, varve_error *error)
{
    struct vv_record_prefetch *p = self;
    vv_monitor_enter(p->worker.monitor);
    bool is_wanted = !p->is_stale && !p->worker.ends;
    vv_monitor_leave(p->worker.monitor);
    return is_wanted ? p->source.read(p->source.self, index, sink, error)
                     : VARVE_CANCELLED;
}

/* Finds the batch to read. Returns false if there is none, or no room for
 * it. */
static bool find_work(struct vv_record_prefetch *p, struct vv_record_step *step)
{
    if (p->worker.ends || !p->is_active || p->ready + 1 == p->slot_count)
        return false;
    *step = vv_record_step_at(&p->next, &p->choice);
    if (step->count == 0)
        return p->is_active = false;
    return p->ready == 0 ||
           (p->ahead < p->most && step->count <= p->most - p->ahead);
}

/* Gives hints for at most two batches per call, so that the first batch does
 * not wait for all hints, until all records that may be read ahead have one. */
static void record_prefetch_advise(struct vv_record_prefetch *p,
    const struct vv_record_step *step, const struct vv_record_choice *choice)
{
    const uint64_t most = step->count + p->most;
    for (int i = 0; i < 2 && p->hinted_ahead < most; i++) {
        struct vv_record_step hinted_step =
            vv_record_step_at(&p->hinted, choice);
        struct vv_permutation order = vv_record_order(&hinted_step.from);
        if (hinted_step.count == 0)
            return;
        for (size_t k = 0; k < hinted_step.count; k++)
            p->hint(
                p->source.self, vv_record_number(&hinted_step.from, &order, k));
        p->hinted = hinted_step.after;
        p->hinted_ahead += hinted_step.count;
    }
}

/* Reads a batch into the slot after the ready ones. The program can drop those
 * meanwhile; then this slot is the first. */
static void record_prefetch_read_ahead(
    struct vv_record_prefetch *p, const struct vv_record_step *step)
{
    struct prefetched *slot = slot_at(p, p->ready);
    const varve_source watched = {
        .name = p->source.name, .read = read_wanted, .self = p
    };
    const struct vv_record_choice choice = p->choice;
    varve_error error = { .status = VARVE_OK };
    if (p->has_moved) {
        p->hinted = step->from;
        p->hinted_ahead = 0;
    }
    p->has_moved = false;
    p->is_reading = true;
    p->is_stale = false;
    vv_monitor_leave(p->worker.monitor);
    if (p->hint && step->from.shuffle)
        record_prefetch_advise(p, step, &choice);
    varve_status status =
        vv_record_batch_read(&slot->batch, &watched, step, &error);
    status = vv_record_batch_confirm(p->check, p->source.self, status,
        vv_record_step_is_last(step, &choice), &error);
    vv_monitor_enter(p->worker.monitor);
    p->hinted_ahead -=
        p->hinted_ahead < step->count ? p->hinted_ahead : step->count;
    p->is_reading = false;
    if (p->is_stale)
        return;
    if (status) {
        p->failure = error;
        p->is_active = false;
    } else {
        slot->step = *step;
        p->ready++;
        p->ahead += step->count;
        p->next = step->after;
    }
    vv_monitor_wake(p->worker.monitor);
}

static bool prefetch_work(void *user)
{
    struct vv_record_prefetch *p = user;
    struct vv_record_step step;
    if (!find_work(p, &step))
        return false;
    record_prefetch_read_ahead(p, &step);
    return true;
}

/* --- Taking batches ------------------------------------------------------- */

static bool is_same_step(
    const struct vv_record_step *wanted, const struct vv_record_step *found)
{
    return memcmp(&wanted->from, &found->from, sizeof wanted->from) == 0 &&
           wanted->count == found->count &&
           wanted->ends_epoch == found->ends_epoch;
}

/* Returns true if a batch is the next one that the thread has read or will
 * read. */
static bool comes_next(
    const struct vv_record_prefetch *p, const struct vv_record_step *step)
{
    if (p->ready > 0)
        return is_same_step(step, &slot_at(p, 0)->step);
    if (!p->is_active && !p->failure.status)
        return false;
    struct vv_record_step coming = vv_record_step_at(&p->next, &p->choice);
    return is_same_step(step, &coming);
}

/* Drops the ready slots, and lets the thread continue from a step. */
static void go_to(struct vv_record_prefetch *p,
    const struct vv_record_step *step, const struct vv_record_choice *choice)
{
    p->first = (p->first + p->ready) % p->slot_count;
    p->ready = 0;
    p->ahead = 0;
    p->is_stale = p->is_reading;
    p->failure.status = VARVE_OK;
    p->next = step->from;
    p->choice = *choice;
    p->has_moved = true;
    p->is_active = true;
    vv_monitor_wake(p->worker.monitor);
}

/* Passes the first slot to the program. Wakes the thread when half of the slots
 * are free, so that it reads several batches each time. */
static void lend(struct vv_record_prefetch *p, const varve_record **records)
{
    struct prefetched *slot = slot_at(p, 0);
    *records = slot->batch.records;
    p->first = (p->first + 1) % p->slot_count;
    p->ready--;
    p->ahead -= slot->step.count;
    if (p->ready <= p->slot_count / 2)
        vv_monitor_wake(p->worker.monitor);
}

varve_status vv_record_prefetch_take(struct vv_record_prefetch *p,
    const struct vv_record_step *step, const struct vv_record_choice *choice,
    const varve_record **records, varve_error *error)
{
    varve_status status = VARVE_OK;
    if (vv_worker_thread_is_lost(&p->worker))
        return vv_fail(error, VARVE_MISUSE,
            "%s: records with prefetch cannot be used in a forked child "
            "process: open them after the fork",
            p->source.name);
    vv_monitor_enter(p->worker.monitor);
    if (!comes_next(p, step))
        go_to(p, step, choice);
    while (p->ready == 0 && !p->failure.status)
        vv_monitor_wait(p->worker.monitor, -1);
    if (p->ready > 0) {
        lend(p, records);
    } else {
        status = vv_pass_failure(error, &p->failure);
        p->failure.status = VARVE_OK;
    }
    vv_monitor_leave(p->worker.monitor);
    return status;
}

/* --- Start and end -------------------------------------------------------- */

static bool record_prefetch_make_slots(
    struct vv_record_prefetch *p, uint64_t batches)
{
    const varve_allocator *a = &p->context.allocator;
    if (batches >= SIZE_MAX / sizeof *p->slots)
        return false;
    p->slot_count = (size_t)batches + 1;
    p->slots = vv_allocate_zeroed(a, p->slot_count * sizeof *p->slots);
    for (size_t i = 0; p->slots && i < p->slot_count; i++)
        vv_record_batch_init(&p->slots[i].batch, a);
    return vv_worker_thread_init(&p->worker, &p->context, prefetch_work, p) &&
           p->slots;
}

struct vv_record_prefetch *vv_record_prefetch_new(
    const struct vv_context *context, const struct vv_prefetch_choice *choice,
    varve_error *error)
{
    struct vv_record_prefetch *p =
        vv_allocate_zeroed(&context->allocator, sizeof *p);
    if (!p) {
        vv_fail_memory(error, "reading records ahead");
        return NULL;
    }
    p->context = *context;
    p->source = choice->source;
    p->hint = choice->hint;
    p->check = choice->check;
    /* There is no benefit beyond the number of records. */
    p->most = choice->most < p->source.count ? choice->most : p->source.count;
    uint64_t batches = p->most / choice->wanted;
    int result = 0;
    if (!record_prefetch_make_slots(p, batches ? batches : 1))
        vv_fail_memory(error, "reading records ahead");
    else if ((result = vv_worker_thread_start(&p->worker)) < 0)
        vv_fail_system(error, -result,
            "starting the thread that reads ahead of", p->source.name);
    else
        return p;
    vv_record_prefetch_end(p);
    return NULL;
}

bool vv_record_prefetch_end(struct vv_record_prefetch *p)
{
    if (!p)
        return true;
    if (!vv_worker_thread_end(&p->worker))
        return false;
    const varve_allocator a = p->context.allocator;
    for (size_t i = 0; p->slots && i < p->slot_count; i++)
        vv_record_batch_clear(&p->slots[i].batch);
    vv_release(&a, p->slots, p->slot_count * sizeof *p->slots);
    vv_release(&a, p, sizeof *p);
    return true;
}
