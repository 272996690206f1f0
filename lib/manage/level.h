/* level.h - one more directory of a manager's checkpoints: what is copied
 * there, how fast, and what stays.
 *
 * All of it is touched by one thread, the level's own, but for what cancels it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_LEVEL_H
#define VV_LEVEL_H

#include <stdatomic.h>

#include "context.h"
#include "listing.h"
#include "manager_lock.h"
#include "prune.h"

struct vv_level {
    /* to fill in */
    struct vv_policy policy;
    uint64_t bytes_per_second; /* at most; 0: no bound */
    bool replaces;             /* a number may come again, of a later save */
    bool is_incremental;       /* copies have layers as their originals */
    bool is_of_sets;           /* each rank copies its file of a set */
    char run[VV_RUN_SIZE];     /* identity of the manager's run */
    bool is_resumed;           /* the manager has resumed from this one, and not
                                  all of its values were taken: */
    uint64_t resumed;          /* its number here */
    struct vv_buffer whole;    /* of these: numbers, uint64_t, of sets that all
                                  ranks have there */
    atomic_bool is_cancelled;  /* by whoever waits for the end of a copy */
    /* own */
    struct vv_context context;
    struct vv_durable durable;
    struct vv_listing listing;
    struct vv_decision decision;
    struct vv_manager_lock lock;
    bool has_looked;
    struct vv_entry newest; /* what was copied last, as far as lineage goes */
    int64_t begun;          /* nanoseconds of uptime: the copy at work */
};

/* A checkpoint that is to be copied. */
struct vv_original {
    /* to fill in */
    const char *path;
    uint64_t number;
    uint64_t counter;
    int64_t step;
    uint64_t identity; /* 0: unknown */
    uint64_t parent;   /* of its run */
    uint64_t parent_counter;
    uint64_t origin; /* likewise */
    struct vv_ancestry ancestry;
    char run[VV_RUN_SIZE];
    bool is_unsure; /* a copy is there of which nobody knows whether it is
                       durable */
};

/* A zeroed one; clear it also after a failure. VARVE_NO_MEMORY. */
varve_status vv_level_begin(struct vv_level *level,
    const struct vv_context *context, const char *directory, const char *prefix,
    const char *metric, varve_error *error);
void vv_level_clear(struct vv_level *level);

/* Makes one file of a checkpoint, or copies its layers, unless the level has
 * it: a checkpoint of the same identity. *size gets how many bytes were
 * written, 0 where it was there. Another checkpoint of its number stays, unless
 * numbers may come again, or it is damaged: VARVE_EXISTS names both.
 * VARVE_CANCELLED at the next chunk. */
varve_status vv_level_copy(struct vv_level *level,
    const struct vv_original *original, uint64_t *size, varve_error *error);

/* Deletes what no policy keeps, and what killed copies have left; then writes
 * the ledger. What was resumed from stays as long as `is_resumed`.
 * `good` is the number of the newest that is known to be good. Of
 * sets policies count those that are whole; what not all ranks have goes once
 * one is whole that is newer, so that each rank keeps the same.
 * VARVE_EXISTS, and nothing is deleted, while somebody else manages the prefix
 * there. */
varve_status vv_level_tidy(
    struct vv_level *level, uint64_t good, varve_error *error);

#endif
