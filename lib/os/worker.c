/* worker.c - Runs work on several threads.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worker.h"

#include <stdatomic.h>
#include <string.h>

#include "copy.h"
#include "dirty.h"
#include "monitor.h"
#include "system.h"

/* --- Workers -------------------------------------------------------------- */

/* Starts threads for the same work, and waits for all of them. */

enum { FEW = 4 << 20 }; /* up to this number of bytes no thread is started */

struct worker {
    vv_work *work;
    void *user;
    unsigned number;
    uintptr_t thread;
};

unsigned vv_worker_count(const struct vv_context *context, unsigned threads)
{
    if (threads == 0)
        threads = context->system->processors(context->system->state);
    if (threads == 0)
        return 1;
    return threads < VV_MAX_WORKERS ? threads : VV_MAX_WORKERS;
}

unsigned vv_worker_count_for(
    const struct vv_context *context, unsigned threads, uint64_t parts)
{
    unsigned count = parts > 1 ? vv_worker_count(context, threads) : 1;
    return parts && count > parts ? (unsigned)parts : count;
}

static void *worker_run(void *argument)
{
    struct worker *worker = argument;
    worker->work(worker->user, worker->number);
    return NULL;
}

void vv_run_workers(const struct vv_context *context, unsigned workers,
    vv_work *work, void *user)
{
    const struct vv_system *system = context->system;
    struct worker started[VV_MAX_WORKERS];
    unsigned count = 0;
    for (unsigned i = 1; i < workers && i < VV_MAX_WORKERS; i++) {
        struct worker *worker = &started[count];
        *worker = (struct worker){ .work = work, .user = user, .number = i };
        if (system->start_thread(
                system->state, worker_run, worker, &worker->thread) == 0)
            count++;
    }
    work(user, 0);
    for (unsigned i = 0; i < count; i++)
        system->join_thread(system->state, started[i].thread);
}

/* --- Parts -------------------------------------------------------------- */

struct parts {
    vv_part *part;
    void *user;
    size_t count;
    atomic_size_t next; /* next unassigned part */
};

static void worker_take_parts(void *user, unsigned worker)
{
    struct parts *parts = user;
    size_t i;
    (void)worker;
    while ((i = atomic_fetch_add(&parts->next, 1)) < parts->count)
        parts->part(parts->user, i);
}

void vv_run_parts(const struct vv_context *context, uint64_t bytes,
    size_t count, vv_part *part, void *user)
{
    struct parts parts = { .part = part, .user = user, .count = count };
    atomic_init(&parts.next, 0);
    vv_run_workers(context,
        vv_worker_count_for(context, 0, bytes < FEW ? 1 : count),
        worker_take_parts, &parts);
}

/* --- Threads that wait for work ------------------------------------------- */

/* Runs work on a thread that waits while there is none. */

bool vv_worker_thread_init(struct vv_worker_thread *t,
    const struct vv_context *context, vv_next_work *work, void *user)
{
    const struct vv_system *system = context->system;
    *t = (struct vv_worker_thread){ .context = context, .interval = -1 };
    t->work = work;
    t->user = user;
    t->process = system->process(system->state, NULL, 0);
    t->monitor = vv_monitor_new(&context->allocator);
    return t->monitor != NULL;
}

bool vv_worker_thread_is_lost(const struct vv_worker_thread *t)
{
    const struct vv_system *system = t->context->system;
    return t->process != system->process(system->state, NULL, 0);
}

static void *worker_thread_run(void *argument)
{
    struct vv_worker_thread *t = argument;
    vv_monitor_enter(t->monitor);
    for (;;) {
        bool has_more = t->work(t->user);
        if (!has_more && t->ends)
            break;
        t->is_due = !has_more && !vv_monitor_wait(t->monitor, t->interval);
    }
    vv_monitor_leave(t->monitor);
    return NULL;
}

int vv_worker_thread_start(struct vv_worker_thread *t)
{
    const struct vv_system *system = t->context->system;
    if (t->is_started)
        return 0;
    t->is_started = true; /* before `work` reads it */
    int result =
        system->start_thread(system->state, worker_thread_run, t, &t->handle);
    if (result)
        t->is_started = false;
    return result;
}

bool vv_worker_thread_end(struct vv_worker_thread *t)
{
    if (!t->monitor)
        return true;
    if (vv_worker_thread_is_lost(t))
        return false;
    if (t->is_started) {
        const struct vv_system *system = t->context->system;
        vv_monitor_enter(t->monitor);
        t->ends = true;
        vv_monitor_wake(t->monitor);
        vv_monitor_leave(t->monitor);
        system->join_thread(system->state, t->handle);
    }
    vv_monitor_free(&t->context->allocator, t->monitor);
    *t = (struct vv_worker_thread){ .monitor = NULL };
    return true;
}

/* --- Copies on all processors --------------------------------------------- */

/* Divides blocks among threads by bytes. */

/* Threads and non-temporal stores pay off only above FEW_TO_COPY bytes. A chunk
 * consists of several huge pages, because the kernel would clear an untouched
 * page twice if two threads touch it at once. */
enum { FEW_TO_COPY = 4 << 20, CHUNK = 4 << 20 };

struct sharing {
    const struct vv_pieces *pieces;
    atomic_size_t next; /* next unassigned chunk */
};

typedef void copy_bytes(void *to, const void *from, size_t size);

static void copy_plain(void *to, const void *from, size_t size)
{
    memcpy(to, from, size);
}

/* Copies a range of a block; if the block is tracked, only the bytes that were
 * written. */
static void copy_part(const struct vv_pieces *pieces, const struct vv_piece *p,
    size_t from, size_t to, copy_bytes *copy)
{
    while (from < to) {
        bool is_written = true;
        size_t run = to - from;
        if (p->tracked)
            run = vv_dirty_run(pieces->dirty, pieces->since,
                (const unsigned char *)p->tracked + from, run, &is_written);
        if (is_written)
            copy((unsigned char *)p->to + from,
                (const unsigned char *)p->from + from, run);
        from += run;
    }
}

/* Copies the bytes from `begin` to `end`, starting with block `i`. Returns the
 * number of the last block examined. */
static size_t copy_range(const struct vv_pieces *pieces, size_t i, size_t begin,
    size_t end, copy_bytes *copy)
{
    for (; i < pieces->count; i++) {
        struct vv_piece p = pieces->piece(pieces->user, i);
        if (!p.to || !p.size)
            continue;
        if (p.at >= end)
            break;
        if (p.at + p.size <= begin)
            continue;
        size_t from = begin > p.at ? begin - p.at : 0;
        size_t to = end - p.at < p.size ? end - p.at : p.size;
        copy_part(pieces, &p, from, to, copy);
        if (to < p.size)
            break;
    }
    return i;
}

static void pieces_work(void *user, unsigned worker)
{
    struct sharing *sharing = user;
    size_t size = sharing->pieces->size, i = 0;
    (void)worker;
    for (;;) {
        size_t begin = atomic_fetch_add(&sharing->next, 1) * (size_t)CHUNK;
        if (begin >= size)
            return;
        size_t end = size - begin < CHUNK ? size : begin + CHUNK;
        i = copy_range(sharing->pieces, i, begin, end, vv_copy_past_caches);
    }
}

void vv_copy_pieces(
    const struct vv_context *context, const struct vv_pieces *pieces)
{
    if (pieces->size < FEW_TO_COPY) {
        copy_range(pieces, 0, 0, pieces->size, copy_plain);
        return;
    }
    struct sharing sharing = { .pieces = pieces };
    atomic_init(&sharing.next, 0);
    vv_run_workers(context, vv_worker_count(context, 0), pieces_work, &sharing);
}
