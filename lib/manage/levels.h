/* levels.h - the levels of a manager, as the program's thread sees them: which
 * of its checkpoints is due where.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_LEVELS_H
#define VV_LEVELS_H

#include <varve/levels.h>

#include "level_queue.h"

struct vv_levels {
    /* to fill in */
    bool numbers_say; /* in which order checkpoints were saved; else a number
                         may come again */
    bool best_is_larger;
    char run[VV_RUN_SIZE]; /* identity of the manager's run */
    bool is_of_sets; /* each rank copies its own file of a set (set_levels.h) */
    uint32_t rank;   /* and has a part of each directory then */
    bool follows;    /* another rank looks and copies, and tells what it sees */
    /* to read */
    struct vv_level_queue *all; /* from the fastest on */
    size_t count;
    /* own */
    const struct vv_context *context;
    int64_t process; /* whose threads they are */
    bool has_begun;  /* what an earlier manager has left to do waits */
};

/* VARVE_MISUSE for levels that are none, or are the same directory as another
 * one or the manager's own. */
varve_status vv_levels_check(const varve_level *levels, size_t count,
    const char *directory, varve_error *error);

/* Of zeroed ones: makes them, like a listing (its prefix and metric), and looks
 * at each directory. End them also after a failure. VARVE_NO_MEMORY. */
varve_status vv_levels_begin(struct vv_levels *levels, const varve_level *those,
    size_t count, const struct vv_listing *like, varve_error *error);

/* Cancels what is being copied. */
void vv_levels_end(struct vv_levels *levels);

/* Looks at each directory; one that cannot be listed says so in `unseen`.
 * VARVE_NO_MEMORY. This and the others below do nothing where it follows. */
varve_status vv_levels_look(struct vv_levels *levels, varve_error *error);

/* The highest counter, or number where numbers say the order, that any of them
 * has. */
uint64_t vv_levels_highest(const struct vv_levels *levels);

/* What an earlier manager of the directory has left to do: of what is in the
 * listing, is due at a level and not there, lets so much wait as may. Once;
 * without the entry of a number, which may be NULL. */
void vv_levels_catch_up(struct vv_levels *levels, struct vv_listing *listing,
    const uint64_t *except);

/* Lets an entry of the listing wait where it is due, and has what failed tried
 * again. */
void vv_levels_add(struct vv_levels *levels, struct vv_listing *listing,
    const struct vv_entry *entry);

/* The same after a save of this manager. `own` is what the manager has recorded
 * of it, which counts where the listing has not read the file: a level gets it
 * all the same. One that is not durable does not wait. */
void vv_levels_pass_on(struct vv_levels *levels, struct vv_listing *listing,
    const struct vv_entry *own, bool is_durable);

/* Keeps a checkpoint of one level, from 1 on, and none of the others; 0: of
 * none. The manager has resumed from it, and not all of its values were taken.
 */
void vv_levels_hold(struct vv_levels *levels, size_t level, uint64_t number);

/* Whether a level lacks what it should have, and why. */
bool vv_levels_have_failed(struct vv_levels *levels, varve_error *failure);

/* Waits for all, until a moment of uptime; below 0: for ever. */
varve_status vv_levels_drain(
    struct vv_levels *levels, int64_t deadline, varve_error *error);

/* Whether a forked child has them, whose threads are the parent's. */
bool vv_levels_are_lost(const struct vv_levels *levels);

/* False past the end. */
bool vv_levels_state(
    struct vv_levels *levels, size_t index, varve_level_state *state);

#endif
