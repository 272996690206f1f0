/* set_levels.h - Copies sets to the storage levels of ranks with a directory
 * each: each rank copies its own file, and a set is complete when all ranks
 * have copied theirs.
 *
 * All ranks hold the same sets. One set at a time is released, and each rank
 * copies its file in the background. A later call finds that all copies have
 * ended, records the set as complete or lost, and releases the next one. So
 * each set is finished before the next begins, all ranks skip the same sets,
 * and deletions depend on complete sets only. Rank 0 provides the time.
 *
 * All ranks must call each function. They fail only if the communication fails,
 * or without memory. Without levels they do nothing.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SET_LEVELS_H
#define VV_SET_LEVELS_H

#include <varve/comm.h>

#include "levels.h"

/* Call after each rank has listed its directories. If a rank cannot list a
 * level, no rank uses it, and all have the error. For the other levels all
 * ranks have the list of complete sets. */
varve_status vv_set_levels_see(
    const varve_comm *comm, struct vv_levels *levels, varve_error *error);

/* Adds a set that each rank has saved durably at the levels at which it is due,
 * and continues copying. */
varve_status vv_set_levels_offer(const varve_comm *comm,
    struct vv_levels *levels, struct vv_listing *listing,
    const struct vv_entry *entry, varve_error *error);

/* Like vv_set_levels_offer, for a set that was resumed. It is due if an older
 * set is the newest complete one at the level, unless its interval of steps
 * excludes it. */
varve_status vv_set_levels_catch_up(const varve_comm *comm,
    struct vv_levels *levels, struct vv_listing *listing,
    const struct vv_entry *entry, varve_error *error);

/* Like vv_levels_drain. */
varve_status vv_set_levels_drain(const varve_comm *comm,
    struct vv_levels *levels, int64_t deadline, varve_error *error);

#endif
