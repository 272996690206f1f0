/* lease.h - a shared lock on a checkpoint that somebody reads. Who deletes must
 * first get the file's lock for himself.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_LEASE_H
#define VV_LEASE_H

#include <varve/watch.h>

#include "buffer.h"
#include "context.h"

/* A lease that is held: a shared lock of the open file, or, where there are no
 * locks, a file beside it that is renewed (lease_file.h). */
struct vv_held_lease {
    /* to fill in */
    int file; /* -1: none is held */
    /* own */
    int64_t process; /* that has taken it */
    struct vv_lease_file *renewed;
};

struct varve_lease {
    struct vv_context context;
    struct vv_buffer path;
    struct vv_held_lease held;
};

/* Opens a file, locks it, and looks whether the name still leads to it. At
 * once: VARVE_TIMEOUT where another process has an exclusive lock. */
varve_status vv_lease_take(const struct vv_context *context, const char *path,
    struct vv_held_lease *held, varve_error *error);

/* The same for a moment, by locks only; waits for an exclusive lock to end, for
 * ten seconds at most. */
varve_status vv_lease_wait(const struct vv_context *context, const char *path,
    struct vv_held_lease *held, varve_error *error);

/* Returns whether it still keeps the checkpoint, as vv_lease_file_check; a lock
 * does. VARVE_OK where none is held. */
varve_status vv_lease_check(
    const struct vv_held_lease *held, const char *path, varve_error *error);

/* Ends it, also where a child process has inherited the descriptor. In such a
 * child only its own resources are released. */
void vv_lease_end(const struct vv_context *context, struct vv_held_lease *held);

/* varve_lease_new over any system. */
varve_lease *vv_lease_new_in(
    const struct vv_context *context, const char *path, varve_error *error);

#endif
