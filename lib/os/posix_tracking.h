/* posix_tracking.h - Tracks writes to memory on Linux (6.11 or later).
 *
 * These are functions of struct vv_system (system.h). On other systems all of
 * them fail.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_POSIX_TRACKING_H
#define VV_POSIX_TRACKING_H

#include "system.h"

int vv_posix_open_tracker(void *state);
int vv_posix_track(void *state, int tracker, void *address, size_t size);
int vv_posix_untrack(void *state, int tracker, void *address, size_t size);
int vv_posix_each_written(void *state, int tracker, void *address, size_t size,
    vv_each_run *each, void *user);
int vv_posix_arm(void *state, int tracker, void *address, size_t size,
    vv_each_run *each, void *user);

#endif
