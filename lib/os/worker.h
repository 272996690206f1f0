/* worker.h - Runs work on several threads: at once, on a thread that waits for
 * work, or as a copy of many blocks.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_WORKER_H
#define VV_WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "context.h"
#include "system.h"

/* --- Workers -------------------------------------------------------------- */

/* Runs the same work on several threads. */

enum { VV_MAX_WORKERS = 8 };

/* The work of one worker. Worker 0 runs on the calling thread. */
typedef void vv_work(void *user, unsigned worker);

/* Returns the number of workers for the option `threads`: 0 means the number of
 * processors. The result is 1 to VV_MAX_WORKERS. */
unsigned vv_worker_count(const struct vv_context *context, unsigned threads);

/* Like vv_worker_count, with at most one worker per part and at least one. For
 * one part the number of processors is not queried. */
unsigned vv_worker_count_for(
    const struct vv_context *context, unsigned threads, uint64_t parts);

/* Runs work(user, 0) to work(user, workers - 1) in parallel, and returns when
 * all are done. Threads that cannot be started are omitted, so workers must
 * take their work from a shared counter; worker 0 always runs. */
void vv_run_workers(const struct vv_context *context, unsigned workers,
    vv_work *work, void *user);

/* One part of the work. */
typedef void vv_part(void *user, size_t part);

/* Runs part(user, 0) to part(user, count - 1), each once, and returns when all
 * are done. Uses all processors if `bytes` is large enough for threads to pay
 * off; otherwise runs in that order on the calling thread. */
void vv_run_parts(const struct vv_context *context, uint64_t bytes,
    size_t count, vv_part *part, void *user);

/* --- Threads that wait for work ------------------------------------------- */

/* A thread that performs the work of one object, and the monitor that guards
 * the object.
 *
 * The object keeps its own queue. Its owner adds work inside the monitor and
 * wakes the monitor. The thread calls `work` inside the monitor, one call after
 * the other while they return true. After a call that returned false it waits
 * for a wakeup or until the interval has passed. To wait for a result the owner
 * waits in the same monitor, which `work` then wakes.
 *
 * Any thread can call vv_worker_thread_is_lost. The other functions must be
 * called by one thread at a time. */

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

/* --- Copies on all processors --------------------------------------------- */

/* Copies many blocks of memory on all processors. */

struct vv_dirty;

/* A block to copy. The blocks are numbered consecutively by bytes and shared
 * out by these numbers. So one large block keeps all processors busy. */
struct vv_piece {
    /* to fill in */
    void *to; /* NULL: skipped */
    const void *from;
    size_t at; /* number of its first byte */
    size_t size;
    /* NULL, or one of `to` and `from` with dirty tracking: only bytes that were
     * written since are copied; the others are equal already */
    const void *tracked;
};

struct vv_pieces {
    /* to fill in */
    size_t count;
    size_t size; /* number of bytes of all blocks */
    /* Returns block number i. Blocks that are not skipped must be ordered by
     * `at`. Called by all threads. */
    struct vv_piece (*piece)(const void *user, size_t i);
    const void *user;
    const struct vv_dirty *dirty; /* tracker of the tracked blocks */
    uint64_t since; /* the look after which written bytes are copied */
};

/* Copies all blocks, with non-temporal stores for large amounts. Cannot fail
 * and allocates nothing. */
void vv_copy_pieces(
    const struct vv_context *context, const struct vv_pieces *pieces);

#endif
