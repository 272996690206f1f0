/* worker.h - Runs the same work on several threads.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_WORKER_H
#define VV_WORKER_H

#include <stddef.h>

#include "context.h"
#include "system.h"

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

#endif
