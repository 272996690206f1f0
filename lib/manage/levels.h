/* levels.h - Manages the storage levels of a manager on the program's thread:
 * decides which checkpoints are due at which level.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_LEVELS_H
#define VV_LEVELS_H

#include <varve/levels.h>

#include "level_queue.h"

struct vv_levels {
    /* to fill in */
    bool numbers_say; /* numbers give the order of saves; otherwise a number can
                         be reused */
    bool best_is_larger;
    char run[VV_RUN_SIZE]; /* identity of the manager's run */
    bool is_of_sets; /* each rank copies its own file of a set (set_levels.h) */
    uint32_t rank; /* the rank, which selects its subdirectory of each level */
    bool follows;  /* another rank lists and copies, and broadcasts its listings
                    */
    /* to read */
    struct vv_level_queue *all; /* fastest first */
    size_t count;
    /* own */
    const struct vv_context *context;
    int64_t process; /* the process that made the threads */
    bool has_begun;  /* vv_levels_catch_up was called */
};

/* Returns VARVE_MISUSE if a level is invalid, or has the directory of another
 * level or of the manager. */
varve_status vv_levels_check(const varve_level *levels, size_t count,
    const char *directory, varve_error *error);

/* Initializes zeroed levels with the prefix and the metric of a listing, and
 * lists each directory. Call vv_levels_end also after a failure. Returns
 * VARVE_NO_MEMORY without memory. */
varve_status vv_levels_begin(struct vv_levels *levels, const varve_level *those,
    size_t count, const struct vv_listing *like, varve_error *error);

/* Cancels all current copies and ends the threads. */
void vv_levels_end(struct vv_levels *levels);

/* Lists each directory. If a directory cannot be listed, `unseen` contains the
 * error. Returns VARVE_NO_MEMORY without memory. This function and those below
 * do nothing if `follows` is set. */
varve_status vv_levels_look(struct vv_levels *levels, varve_error *error);

/* Returns the highest save counter at any level, or the highest number if
 * numbers give the order. */
uint64_t vv_levels_highest(const struct vv_levels *levels);

/* Queues the checkpoints in the listing that an earlier manager of the
 * directory did not copy, at most `max_pending` for each level. Only the first
 * call has an effect. Skips the number *except, unless `except` is NULL. */
void vv_levels_catch_up(struct vv_levels *levels, struct vv_listing *listing,
    const uint64_t *except);

/* Queues an entry of the listing at each level at which it is due, and retries
 * failed copies. */
void vv_levels_add(struct vv_levels *levels, struct vv_listing *listing,
    const struct vv_entry *entry);

/* Like vv_levels_add, after a save of this manager. `own` is the manager's
 * record of the save, which is used if the listing could not read the file. A
 * save that is not durable is not queued. */
void vv_levels_pass_on(struct vv_levels *levels, struct vv_listing *listing,
    const struct vv_entry *own, bool is_durable);

/* Keeps a checkpoint at one level (from 1; 0: at none), because the manager has
 * resumed from it and its values were not all taken. The other levels keep none
 * for this reason. */
void vv_levels_hold(struct vv_levels *levels, size_t level, uint64_t number);

/* Returns true, and sets *failure, if a level lacks a checkpoint that it should
 * have. */
bool vv_levels_have_failed(struct vv_levels *levels, varve_error *failure);

/* Waits for all levels until an uptime `deadline` (negative: without limit). */
varve_status vv_levels_drain(
    struct vv_levels *levels, int64_t deadline, varve_error *error);

/* Returns true in a forked child, because the threads belong to its parent. */
bool vv_levels_are_lost(const struct vv_levels *levels);

/* Sets *state for a level. Returns false past the last one. */
bool vv_levels_state(
    struct vv_levels *levels, size_t index, varve_level_state *state);

#endif
