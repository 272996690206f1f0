/* level_queue.h - Queues checkpoints for a storage level, and runs the thread
 * that copies them.
 *
 * The program's thread finds the checkpoints that are due, takes leases on them
 * and adds them to the queue. It lists the directory of a level only when a
 * manager begins or resumes. Only the level's thread performs all other
 * operations at the level.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_LEVEL_QUEUE_H
#define VV_LEVEL_QUEUE_H

#include <varve/levels.h>

#include "buffer.h"
#include "lease.h"
#include "level.h"
#include "retention.h"
#include "worker.h"

/* A queued checkpoint. */
struct vv_waiting {
    struct vv_waiting *next;
    struct vv_original original;
    char *path;
    struct vv_held_lease lease;
};

/* A level and its queue. */
struct vv_level_queue {
    struct vv_level level;
    struct vv_worker_thread worker;

    /* used by the program's thread */
    struct vv_listing seen; /* the directory as it was last listed */
    varve_error unseen;     /* the error of that listing, or VARVE_OK */
    uint64_t highest;       /* the highest counter or number ever found */
    struct vv_interval interval;
    size_t max_pending;
    struct vv_buffer text; /* text returned last */
    varve_error reported;  /* error returned last */

    /* the same, for sets (set_levels.h) */
    struct vv_waiting *held; /* sets that no rank has begun, oldest first */
    size_t held_count;
    uint64_t offered;         /* counter of the newest held or complete set */
    bool has_released;        /* a set is being copied, or was: */
    struct vv_entry released; /* its number, counter, step */

    /* protected by the monitor */
    struct vv_waiting *first; /* the oldest */
    struct vv_waiting *current;
    size_t count;           /* queued, without the current one */
    uint64_t highest_there; /* highest counter or number found by a copy */
    uint64_t owed;  /* counter of a missed checkpoint, after which the next one
                       is due; 0: none */
    bool has_news;  /* changed since the current copy began */
    bool is_copied; /* for sets: the released one is copied */
    bool knows_whole;       /* the complete sets are known: */
    struct vv_buffer whole; /* their numbers, newest last */
    bool tidies;            /* a copy was added; retention runs next */
    bool is_tidying;
    bool rests;      /* a copy failed, and is not retried yet */
    bool is_resumed; /* for the level, from the next copy on */
    uint64_t resumed;
    bool has_latest;
    uint64_t latest; /* its number */
    int64_t latest_step;
    uint64_t left_out;
    uint64_t copied;
    uint64_t failures; /* of copies; */
    uint64_t asked;    /* the number when the program's thread last read it */
    varve_error failure;
};

/* Initializes a zeroed queue, whose `level` has its fields to fill in, with the
 * prefix and the metric of a listing. Call vv_level_queue_end also after a
 * failure. Returns VARVE_NO_MEMORY without memory. */
varve_status vv_level_queue_begin(struct vv_level_queue *queue,
    const varve_level *options, const struct vv_listing *like,
    varve_error *error);

/* Cancels the current copy and ends the thread. */
void vv_level_queue_end(struct vv_level_queue *queue);

/* Returns true if the level lacks a checkpoint that was due and the queue is
 * empty. */
bool vv_level_queue_owes(struct vv_level_queue *queue);

/* Returns true if an entry of the manager's listing must be copied now. */
bool vv_level_queue_is_due(
    struct vv_level_queue *queue, const struct vv_entry *entry);

/* Queues an entry of the manager's listing. Errors are recorded. */
void vv_level_queue_add(struct vv_level_queue *queue,
    struct vv_listing *listing, const struct vv_entry *entry);

/* Makes a queue item of an entry, with a lease. Returns VARVE_NO_MEMORY, or the
 * status of the lease. vv_level_queue_put queues it. */
varve_status vv_waiting_make(struct vv_level_queue *queue,
    struct vv_listing *listing, const struct vv_entry *entry,
    struct vv_waiting **made, varve_error *error);
void vv_waiting_free(struct vv_level_queue *queue, struct vv_waiting *waiting);
void vv_level_queue_put(
    struct vv_level_queue *queue, struct vv_waiting *waiting);

/* Keeps the checkpoint of a number at the level, because the manager has
 * resumed from it and its values were not all taken. NULL: keeps none. */
void vv_level_queue_hold(struct vv_level_queue *queue, const uint64_t *number);

/* Records that a checkpoint that was due could not be queued, and the reason.
 * The next checkpoint is then due. */
void vv_level_queue_note_missed(
    struct vv_level_queue *queue, uint64_t counter, const varve_error *reason);

/* Continues copying, and retries copies that failed. */
void vv_level_queue_go_on(struct vv_level_queue *queue);

/* Waits until the queue is empty or until an uptime `deadline` (negative:
 * without limit). Call vv_level_queue_go_on before. Returns VARVE_TIMEOUT, or
 * the status of a failed copy. */
varve_status vv_level_queue_drain(
    struct vv_level_queue *queue, int64_t deadline, varve_error *error);

/* Records a failure at the level that is not a failed copy. */
void vv_level_queue_note(
    struct vv_level_queue *queue, const char *what, const varve_error *reason);

/* Returns the highest save counter at the level, or the highest number if
 * numbers give the order, as far as this manager has found it. */
uint64_t vv_level_queue_highest(struct vv_level_queue *queue);

/* Returns true, and sets *failure, if an operation at the level has failed
 * since the last successful copy. */
bool vv_level_queue_has_failed(
    struct vv_level_queue *queue, varve_error *failure);

/* Sets *state, except for the directory and the failure. `reported` contains
 * the failure afterwards. */
void vv_level_queue_state(
    struct vv_level_queue *queue, varve_level_state *state);

#endif
