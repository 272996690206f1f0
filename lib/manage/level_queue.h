/* level_queue.h - what waits for a level, and the thread that copies it.
 *
 * The program's thread finds what is due, takes a lease on it and lets it wait;
 * it looks at the directory of a level only where a manager begins or resumes.
 * All else at a level is its thread's.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_LEVEL_QUEUE_H
#define VV_LEVEL_QUEUE_H

#include <varve/levels.h>

#include "buffer.h"
#include "interval.h"
#include "lease.h"
#include "level.h"

struct vv_monitor;

/* A checkpoint that waits. */
struct vv_waiting {
    struct vv_waiting *next;
    struct vv_original original;
    char *path;
    struct vv_held_lease lease;
};

/* A level, and what waits for it. */
struct vv_level_queue {
    struct vv_level level;
    struct vv_monitor *monitor;

    /* the program's thread */
    struct vv_listing seen; /* the directory, when it was looked at last */
    varve_error unseen;     /* why it was not; VARVE_OK: it was */
    uint64_t highest;       /* counter there ever was, or number */
    struct vv_interval interval;
    size_t max_pending;
    uintptr_t thread;
    bool has_thread;
    struct vv_buffer text; /* what was handed out last */
    varve_error told;      /* likewise */

    /* the same, of sets (set_levels.h) */
    struct vv_waiting *held; /* that no rank has begun, from the oldest on */
    size_t held_count;
    uint64_t offered;         /* counter of the newest that was held, or is
                                 whole */
    bool has_released;        /* one is copied at all ranks, or was: */
    struct vv_entry released; /* its number, counter, step */

    /* inside the monitor */
    struct vv_waiting *first; /* the oldest */
    struct vv_waiting *current;
    size_t count;           /* that wait, without the current one */
    uint64_t highest_there; /* counter or number, when a copy looked there */
    uint64_t owed;  /* counter of what was lost: the next one is due; 0: none */
    bool has_news;  /* since the current one was begun */
    bool is_copied; /* of sets: what was released */
    bool knows_whole;       /* which sets all ranks have there: */
    struct vv_buffer whole; /* their numbers, the newest last */
    bool tidies; /* there is one more; then what is kept is decided */
    bool is_tidying;
    bool rests;      /* it failed, and waits for news */
    bool is_resumed; /* as in the level, from the next one that is copied on */
    uint64_t resumed;
    bool ends;
    bool has_latest;
    uint64_t latest; /* its number */
    int64_t latest_step;
    uint64_t left_out;
    uint64_t copied;
    uint64_t failures; /* of copies; */
    uint64_t asked;    /* and when the program's thread asked last */
    varve_error failure;
};

/* A zeroed one but for what of `level` is to fill in, of the prefix and metric
 * of a listing. End it also after a failure. VARVE_NO_MEMORY. */
varve_status vv_level_queue_begin(struct vv_level_queue *queue,
    const varve_level *options, const struct vv_listing *like,
    varve_error *error);

/* Cancels what is being copied. */
void vv_level_queue_end(struct vv_level_queue *queue);

/* Whether something that was due is not there, and nothing waits. */
bool vv_level_queue_owes(struct vv_level_queue *queue);

/* Whether an entry of the manager's is to be copied now. */
bool vv_level_queue_is_due(
    struct vv_level_queue *queue, const struct vv_entry *entry);

/* Lets an entry of the manager's listing wait; what goes wrong is noted. */
void vv_level_queue_add(struct vv_level_queue *queue,
    struct vv_listing *listing, const struct vv_entry *entry);

/* The same in steps: what an entry waits as, with a lease; VARVE_NO_MEMORY, or
 * why there is none. */
varve_status vv_waiting_make(struct vv_level_queue *queue,
    struct vv_listing *listing, const struct vv_entry *entry,
    struct vv_waiting **made, varve_error *error);
void vv_waiting_free(struct vv_level_queue *queue, struct vv_waiting *waiting);
void vv_level_queue_put(
    struct vv_level_queue *queue, struct vv_waiting *waiting);

/* Which checkpoint of the level is kept, since the manager has resumed from it
 * and not all of its values were taken; NULL: none. */
void vv_level_queue_hold(struct vv_level_queue *queue, const uint64_t *number);

/* What is due and cannot wait, for a reason: so the next one is due. */
void vv_level_queue_note_missed(
    struct vv_level_queue *queue, uint64_t counter, const varve_error *reason);

/* Has what waits copied, and what has failed tried again. */
void vv_level_queue_go_on(struct vv_level_queue *queue);

/* Waits for all of it, after it was told to go on, until a moment of uptime;
 * below 0: for ever. VARVE_TIMEOUT, or what a copy failed with. */
varve_status vv_level_queue_drain(
    struct vv_level_queue *queue, int64_t deadline, varve_error *error);

/* What failed there besides a copy. */
void vv_level_queue_note(
    struct vv_level_queue *queue, const char *what, const varve_error *reason);

/* The highest counter there, or number where numbers tell the order, that this
 * manager has found. */
uint64_t vv_level_queue_highest(struct vv_level_queue *queue);

/* Whether something has failed there since the last copy that was made; sets
 * *failure then. */
bool vv_level_queue_has_failed(
    struct vv_level_queue *queue, varve_error *failure);

/* All but the directory and the failure, which is in `told` then. */
void vv_level_queue_state(
    struct vv_level_queue *queue, varve_level_state *state);

#endif
