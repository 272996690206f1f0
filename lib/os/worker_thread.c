/* worker_thread.c - Runs work on a thread that waits while there is none.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worker_thread.h"

#include "monitor.h"
#include "system.h"

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
