/* worker_thread.h - A thread that performs the work of one object, and the
 * monitor that guards the object.
 *
 * The object keeps its own queue. Its owner adds work inside the monitor and
 * wakes the monitor. The thread calls `work` inside the monitor, one call after
 * the other while they return true. After a call that returned false it waits
 * for a wakeup or until the interval has passed. To wait for a result the owner
 * waits in the same monitor, which `work` then wakes.
 *
 * Any thread can call vv_worker_thread_is_lost. The other functions must be
 * called by one thread at a time.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_WORKER_THREAD_H
#define VV_WORKER_THREAD_H

#include <stdbool.h>

#include "context.h"

struct vv_monitor;

/* Performs the next piece of work, and returns false if there is no more. Can
 * leave the monitor, and must enter it again. */
typedef bool vv_next_work(void *user);

/* All zero: not initialized. */
struct vv_worker_thread {
    /* to read */
    struct vv_monitor *monitor; /* also guards `ends` and `is_due` */
    bool is_started; /* constant from the first to the last call of `work` */
    bool ends;       /* the thread ends when `work` returns false */
    bool is_due;     /* the interval has passed without a wakeup */
    /* to fill in before the start */
    int64_t interval; /* longest wait in nanoseconds; negative: unlimited */
    /* own */
    const struct vv_context *context;
    vv_next_work *work;
    void *user;
    uintptr_t handle;
    int64_t process;
};

/* Initializes it without starting the thread, with an unlimited interval.
 * Borrows the context. Returns false if there is no memory; then nothing is to
 * be ended. */
bool vv_worker_thread_init(struct vv_worker_thread *thread,
    const struct vv_context *context, vv_next_work *work, void *user);

/* Starts the thread unless it is started. Can be called inside the monitor.
 * Returns a negative errno if it cannot be started. The owner then performs the
 * work itself, fails, or tries again later. */
int vv_worker_thread_start(struct vv_worker_thread *thread);

/* Returns true in a forked child of the process that initialized it. The child
 * does not have the thread, and must not enter the monitor, which the thread
 * may have held at the fork. */
bool vv_worker_thread_is_lost(const struct vv_worker_thread *thread);

/* Sets `ends`, waits until `work` returns false and the thread has ended, and
 * frees the monitor. An object that need not finish its work returns false as
 * soon as `ends` is set. Accepts a zeroed struct, and zeroes it. In a forked
 * child does nothing, and returns false. */
bool vv_worker_thread_end(struct vv_worker_thread *thread);

#endif
