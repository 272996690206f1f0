/* memory_tracker.h - Declares the detection of writes by comparison with a
 * copy.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SUPPORT_MEMORY_TRACKER_H
#define SUPPORT_MEMORY_TRACKER_H

#include "system.h"

struct memory_tracker; /* a list of ranges, initially NULL */

/* The calls of a system. A range must be passed as it was tracked. */
int memory_track(
    struct memory_tracker **list, int tracker, void *address, size_t size);
int memory_untrack(
    struct memory_tracker **list, int tracker, void *address, size_t size);
int memory_each_written(struct memory_tracker *list, int tracker,
    void *address, size_t size, vv_each_run *each, void *user);
int memory_arm(struct memory_tracker *list, int tracker, void *address,
    size_t size, vv_each_run *each, void *user);

/* Removes all ranges of a tracker that is closed; -1: of every tracker. */
void memory_track_nothing(struct memory_tracker **list, int tracker);

#endif
