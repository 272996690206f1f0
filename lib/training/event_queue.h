/* event_queue.h - records that wait for the disk, and the thread that writes
 * them.
 *
 * There are two buffers: records are made in the one while the other is
 * written. The thread neither allocates nor frees. Where a write fails, the
 * buffer is kept and written again at the same place of the file, so that a
 * reader never finds anything behind a broken record.
 *
 * Without a thread everything is written by the one that calls.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_EVENT_QUEUE_H
#define VV_EVENT_QUEUE_H

#include <varve/error.h>

#include "buffer.h"
#include "context.h"

struct vv_monitor;

struct vv_event_queue {
    const struct vv_context *context;
    const char *path; /* for messages; borrowed */
    int file;         /* borrowed */
    uint64_t offset;  /* where the next write goes: all before it is whole */
    int64_t interval; /* nanoseconds between writes */
    size_t limit;     /* bytes that may wait */

    struct vv_monitor *monitor; /* for all below */
    struct vv_buffer waiting;
    struct vv_buffer written; /* just now, or in vain */
    size_t record;            /* where the one begins that is being made */
    bool is_failing;          /* the last write was in vain */
    bool counts_links;        /* the file system tells that a file is removed */
    bool has_thread;
    bool ends;
    uintptr_t thread;
    uint64_t asked, answered; /* calls of flush */
    uint64_t dropped, told;   /* events */
    varve_error error;        /* the first that nobody was told */
};

/* Starts it over an empty file; interval and limit are set, all else is 0. On
 * failure nothing is to be ended. */
varve_status vv_event_queue_start(struct vv_event_queue *queue,
    const struct vv_context *context, int file, const char *path,
    varve_error *error);

/* Writes what waits, and ends the thread. Takes one that is all zeros. */
void vv_event_queue_end(struct vv_event_queue *queue);

/* From enter to leave, one thread at a time. A record is made inside, whole,
 * by adding its message to what is returned; vv_event_queue_commit says whether
 * it was taken. One that does not fit is dropped and counted, unless nothing
 * else waits. */
void vv_event_queue_enter(struct vv_event_queue *queue);
void vv_event_queue_leave(struct vv_event_queue *queue);
struct vv_buffer *vv_event_queue_begin(struct vv_event_queue *queue);
bool vv_event_queue_commit(struct vv_event_queue *queue);

/* From inside: counts an event that was never made. */
void vv_event_queue_drop(struct vv_event_queue *queue);

/* From inside: remembers a failure for the next flush, if it is the first. */
void vv_event_queue_remember(
    struct vv_event_queue *queue, const varve_error *error);

/* From inside: waits until all that waits was written, or could not be, and
 * tells what went wrong since it last told. */
varve_status vv_event_queue_flush(
    struct vv_event_queue *queue, varve_error *error);

#endif
