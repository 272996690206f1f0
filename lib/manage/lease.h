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

struct varve_lease {
    struct vv_context context;
    struct vv_buffer path;
    int file;
    int64_t process; /* that has taken it */
};

/* Opens a file, locks it, and looks whether the name still leads to it. At
 * once: VARVE_TIMEOUT where another process has an exclusive lock. */
varve_status vv_lease_take(const struct vv_context *context, const char *path,
    int *file, varve_error *error);

/* The same, but waits for an exclusive lock to end, for ten seconds at most. */
varve_status vv_lease_wait(const struct vv_context *context, const char *path,
    int *file, varve_error *error);

/* Releases the lock, also where a child process has inherited the descriptor,
 * and closes the file. Takes -1. Only by the process that has taken it. */
void vv_lease_end(const struct vv_context *context, int file);

/* varve_lease_new over any system. */
varve_lease *vv_lease_new_in(
    const struct vv_context *context, const char *path, varve_error *error);

#endif
