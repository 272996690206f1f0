/* threads.c - Implements threads as tasks, and the library's monitor.
 *
 * It replaces the library's functions of monitor.h: other tasks run while one
 * waits.
 *
 * SPDX-License-Identifier: MIT
 */
#include "simulate/threads.h"

#include <errno.h>

#include "allocator.h"
#include "monitor.h"
#include "simulate/arena.h"
#include "simulate/fault.h"
#include "simulate/finding.h"
#include "simulate/process.h"
#include "simulate/task.h"

struct thread {
    void *(*function)(void *);
    void *argument;
};

static void run_thread(void *argument)
{
    const struct thread *thread = argument;
    thread->function(thread->argument);
}

int threads_start(void *state, void *(*function)(void *), void *argument,
    uintptr_t *handle)
{
    struct process *p = state;
    task_point();
    if (fault_happens(p, 1u << FAULT_NO_THREAD) == FAULT_NO_THREAD)
        return -EAGAIN;
    struct thread *thread = arena_take(sizeof *thread);
    *thread = (struct thread){ function, argument };
    struct task *task = task_start(p, run_thread, thread);
    if (!task)
        return -EAGAIN;
    trace("starts the thread %u.%u", p->number, task->number);
    *handle = (uintptr_t)task;
    return 0;
}

int threads_join(void *state, uintptr_t handle)
{
    const struct task *task = (const struct task *)handle;
    (void)state;
    while (!task->is_done)
        task_wait(task, -1);
    return 0;
}

/* --- Monitors ----------------------------------------------------------- */

struct vv_monitor {
    struct task *inside;
    char changed; /* its address is the token of waiting tasks */
};

struct vv_monitor *vv_monitor_new(const varve_allocator *a)
{
    return vv_allocate_zeroed(a, sizeof(struct vv_monitor));
}

void vv_monitor_free(const varve_allocator *a, struct vv_monitor *monitor)
{
    if (!monitor)
        return;
    if (monitor->inside)
        finding(FINDING_BROKEN, "a monitor ends while a thread is inside");
    vv_release(a, monitor, sizeof *monitor);
}

void vv_monitor_enter(struct vv_monitor *monitor)
{
    struct task *self = task_current();
    if (monitor->inside == self)
        finding(FINDING_BROKEN, "a thread enters a monitor twice");
    if (!self->process->is_quiet)
        task_point();
    while (monitor->inside)
        task_wait(monitor, -1);
    monitor->inside = self;
}

void vv_monitor_leave(struct vv_monitor *monitor)
{
    if (monitor->inside != task_current())
        finding(FINDING_BROKEN, "a thread leaves a monitor of another one");
    monitor->inside = NULL;
    task_wake(monitor);
}

bool vv_monitor_wait(struct vv_monitor *monitor, int64_t nanoseconds)
{
    int64_t deadline = nanoseconds < 0 ? -1 : task_uptime() + nanoseconds;
    vv_monitor_leave(monitor);
    bool is_woken = task_wait(&monitor->changed, deadline);
    while (monitor->inside)
        task_wait(monitor, -1);
    monitor->inside = task_current();
    return is_woken;
}

void vv_monitor_wake(struct vv_monitor *monitor)
{
    task_wake(&monitor->changed);
}
