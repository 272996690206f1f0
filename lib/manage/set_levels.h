/* set_levels.h - levels of ranks that have a directory each: every rank copies
 * its own file of a set, and a set is there when all have.
 *
 * All ranks hold the same sets. One at a time is released: each copies its file
 * then, in its own background. Only when a later call finds that none is at
 * work on it any more is it whole, or lost, and the next one is released. So
 * whatever is slow or fails at one rank, what has been begun is finished before
 * another is begun, what is left out is left out by all, and what is deleted is
 * decided by sets that are whole. Rank 0 has the clock.
 *
 * Each of these is called by all ranks, and fails only where they cannot talk,
 * or without memory. Without levels they do nothing.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SET_LEVELS_H
#define VV_SET_LEVELS_H

#include <varve/comm.h>

#include "levels.h"

/* Once each rank has looked: what one cannot see, none can, and says why; of
 * the others all know which sets are whole. */
varve_status vv_set_levels_see(
    const varve_comm *comm, struct vv_levels *levels, varve_error *error);

/* A set of which each rank has its file, durably; it waits where it is due.
 * Then the work goes on. */
varve_status vv_set_levels_offer(const varve_comm *comm,
    struct vv_levels *levels, struct vv_listing *listing,
    const struct vv_entry *entry, varve_error *error);

/* The same of one that was resumed: it is due where an older one is the newest
 * that is whole, unless steps say that it is not. */
varve_status vv_set_levels_catch_up(const varve_comm *comm,
    struct vv_levels *levels, struct vv_listing *listing,
    const struct vv_entry *entry, varve_error *error);

/* As vv_levels_drain. */
varve_status vv_set_levels_drain(const varve_comm *comm,
    struct vv_levels *levels, int64_t deadline, varve_error *error);

#endif
