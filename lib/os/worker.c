/* worker.c - Starts threads for the same work, and waits for all of them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worker.h"

#include <stdatomic.h>

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
