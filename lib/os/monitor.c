/* monitor.c - Implements a monitor with a POSIX mutex and condition variable.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "monitor.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "allocator.h"

/* A monotonic clock, if condition variables support one. */
#if defined(__APPLE__)
#define WAITING_CLOCK CLOCK_REALTIME
#define SET_CLOCK(attributes) 0
#else
#define WAITING_CLOCK CLOCK_MONOTONIC
#define SET_CLOCK(attributes)                                                  \
    pthread_condattr_setclock((attributes), WAITING_CLOCK)
#endif

#define SECOND INT64_C(1000000000)

struct vv_monitor {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
};

static bool make_condition(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    if (pthread_condattr_init(&attributes))
        return false;
    bool is_made = SET_CLOCK(&attributes) == 0 &&
                   pthread_cond_init(condition, &attributes) == 0;
    pthread_condattr_destroy(&attributes);
    return is_made;
}

struct vv_monitor *vv_monitor_new(const varve_allocator *a)
{
    struct vv_monitor *monitor = vv_allocate(a, sizeof *monitor);
    if (!monitor)
        return NULL;
    if (pthread_mutex_init(&monitor->mutex, NULL)) {
        vv_release(a, monitor, sizeof *monitor);
        return NULL;
    }
    if (!make_condition(&monitor->changed)) {
        pthread_mutex_destroy(&monitor->mutex);
        vv_release(a, monitor, sizeof *monitor);
        return NULL;
    }
    return monitor;
}

void vv_monitor_free(const varve_allocator *a, struct vv_monitor *monitor)
{
    if (!monitor)
        return;
    pthread_cond_destroy(&monitor->changed);
    pthread_mutex_destroy(&monitor->mutex);
    vv_release(a, monitor, sizeof *monitor);
}

void vv_monitor_enter(struct vv_monitor *monitor)
{
    pthread_mutex_lock(&monitor->mutex);
}

void vv_monitor_leave(struct vv_monitor *monitor)
{
    pthread_mutex_unlock(&monitor->mutex);
}

bool vv_monitor_wait(struct vv_monitor *monitor, int64_t nanoseconds)
{
    if (nanoseconds < 0) {
        pthread_cond_wait(&monitor->changed, &monitor->mutex);
        return true;
    }
    struct timespec end;
    clock_gettime(WAITING_CLOCK, &end);
    nanoseconds += end.tv_nsec;
    end.tv_sec += (time_t)(nanoseconds / SECOND);
    end.tv_nsec = (long)(nanoseconds % SECOND);
    return pthread_cond_timedwait(&monitor->changed, &monitor->mutex, &end) !=
           ETIMEDOUT;
}

void vv_monitor_wake(struct vv_monitor *monitor)
{
    pthread_cond_broadcast(&monitor->changed);
}
