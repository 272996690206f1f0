/* lease.h - Holds a shared lock on a checkpoint while it is read. A program
 * that deletes the checkpoint must first take the exclusive lock.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_LEASE_H
#define VV_LEASE_H

#include <varve/watch.h>

#include "buffer.h"
#include "context.h"

/* A held lease: a shared lock on the open file or, without locks, a file beside
 * it that is renewed (lease_file.h). */
struct vv_held_lease {
    /* to fill in */
    int file; /* -1: no lease is held */
    /* own */
    int64_t process; /* the process that took it */
    struct vv_lease_file *renewed;
};

struct varve_lease {
    struct vv_context context;
    struct vv_buffer path;
    struct vv_held_lease held;
};

/* Opens and locks a file, and checks that its name still refers to it. Does not
 * wait: returns VARVE_TIMEOUT if another process has an exclusive lock. */
varve_status vv_lease_take(const struct vv_context *context, const char *path,
    struct vv_held_lease *held, varve_error *error);

/* Like vv_lease_take, for a short time and with locks only. Waits up to ten
 * seconds for an exclusive lock to end. */
varve_status vv_lease_wait(const struct vv_context *context, const char *path,
    struct vv_held_lease *held, varve_error *error);

/* Returns VARVE_OK if the lease still protects the checkpoint, or if none is
 * held. Otherwise returns the status of vv_lease_file_check. A lock is always
 * valid. */
varve_status vv_lease_check(
    const struct vv_held_lease *held, const char *path, varve_error *error);

/* Ends the lease, also if a child process has inherited the descriptor. In such
 * a child it only releases the child's resources. */
void vv_lease_end(const struct vv_context *context, struct vv_held_lease *held);

/* Implements varve_lease_new with a given context. */
varve_lease *vv_lease_new_in(
    const struct vv_context *context, const char *path, varve_error *error);

#endif
