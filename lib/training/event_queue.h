/* event_queue.h - Creates the file to which a process writes its events, and
 * buffers records for it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_EVENT_QUEUE_H
#define VV_EVENT_QUEUE_H

#include <varve/error.h>

#include "buffer.h"
#include "context.h"
#include "worker.h"

/* --- Files ---------------------------------------------------------------- */

/* Creates the file to which a process writes its events. */

/* Makes the directory and a new file in it, whose name sorts after those of the
 * existing event files. Release *path with vv_release_string. */
varve_status vv_event_file_create(const struct vv_context *context,
    const char *directory, int *file, char **path, varve_error *error);

/* --- Queues --------------------------------------------------------------- */

/* Buffers records, which a thread writes to the event file.
 *
 * There are two buffers: new records go into one while the other is written.
 * The thread neither allocates nor frees memory. If a write fails, the buffer
 * is kept and written again at the same offset, so that a reader never finds
 * data after a broken record.
 *
 * Without a thread the callers write. */

struct vv_event_queue {
    const struct vv_context *context;
    const char *path; /* for messages; borrowed */
    int file;         /* borrowed */
    uint64_t offset; /* of the next write; all records before it are complete */
    int64_t interval; /* nanoseconds between writes */
    size_t limit;     /* largest number of bytes in `waiting` */

    struct vv_worker_thread worker; /* its monitor guards all members below, and
                                       `offset` */
    struct vv_buffer waiting;
    /* being written, or left over from a failed write */
    struct vv_buffer written;
    size_t record;     /* start of the record under construction */
    bool is_failing;   /* the last write failed */
    bool counts_links; /* the file system reports when the file is removed */
    uint64_t asked, answered; /* numbers of flushes requested and completed */
    /* number of events dropped, and of those reported */
    uint64_t dropped, reported;
    varve_error error; /* the first one that was not reported */
};

/* Starts a queue for an empty file. The interval and the limit must be set, and
 * all other members zero. On failure nothing is to be ended. */
varve_status vv_event_queue_start(struct vv_event_queue *queue,
    const struct vv_context *context, int file, const char *path,
    varve_error *error);

/* Writes all buffered records, and ends the thread. Accepts a zeroed struct. */
void vv_event_queue_end(struct vv_event_queue *queue);

/* Calls from enter to leave are exclusive: one thread at a time. Make a
 * complete record in between, by adding its message to the buffer that
 * vv_event_queue_begin returns. vv_event_queue_commit returns true if it was
 * accepted. A record that does not fit is dropped and counted, unless the
 * buffer is empty otherwise. */
void vv_event_queue_enter(struct vv_event_queue *queue);
void vv_event_queue_leave(struct vv_event_queue *queue);
struct vv_buffer *vv_event_queue_begin(struct vv_event_queue *queue);
bool vv_event_queue_commit(struct vv_event_queue *queue);

/* Counts an event that was not made. Call it between enter and leave. */
void vv_event_queue_drop(struct vv_event_queue *queue);

/* Records a failure for the next flush if it is the first. Call it between
 * enter and leave. */
void vv_event_queue_remember(
    struct vv_event_queue *queue, const varve_error *error);

/* Waits until all buffered records were written, or writing failed. Returns the
 * first failure since the last call. Call it between enter and leave. */
varve_status vv_event_queue_flush(
    struct vv_event_queue *queue, varve_error *error);

#endif
