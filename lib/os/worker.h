/* worker.h - the same work on several threads.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_WORKER_H
#define VV_WORKER_H

#include <stddef.h>

#include "context.h"
#include "system.h"

enum { VV_MAX_WORKERS = 8 };

/* One worker's part. Worker 0 runs on the calling thread. */
typedef void vv_work(void *user, unsigned worker);

/* How many workers a wish for `threads` gives: 0 means as many as there are
 * processors; 1 to VV_MAX_WORKERS. */
unsigned vv_worker_count(const struct vv_context *context, unsigned threads);

/* The same for work of so many parts, at most one for each, and one at least.
 * Of one part the system is not asked how many processors there are. */
unsigned vv_worker_count_for(
    const struct vv_context *context, unsigned threads, uint64_t parts);

/* Runs work(user, 0) to work(user, workers - 1) at the same time, and returns
 * when all are done. Threads that cannot be started are left out, so the work
 * must be shared out as it is taken, not by number; worker 0 always runs. */
void vv_run_workers(const struct vv_context *context, unsigned workers,
    vv_work *work, void *user);

/* One part of some work. */
typedef void vv_part(void *user, size_t part);

/* Runs part(user, 0) to part(user, count - 1), each once, and returns when all
 * are done: on all processors where the work is on so many bytes that threads
 * pay, else in that order on the calling thread. */
void vv_run_parts(const struct vv_context *context, uint64_t bytes,
    size_t count, vv_part *part, void *user);

#endif
