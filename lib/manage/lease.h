/* lease.h - Protects a checkpoint from deletion while it is read.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_LEASE_H
#define VV_LEASE_H

#include <stdbool.h>

#include <varve/error.h>
#include <varve/watch.h>

#include "buffer.h"
#include "context.h"

/* --- Leases --------------------------------------------------------------- */

/* Holds a shared lock on a checkpoint while it is read. A program that deletes
 * the checkpoint must first take the exclusive lock. */

/* A held lease: a shared lock on the open file or, without locks, a file beside
 * it that is renewed. */
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

/* --- Files ---------------------------------------------------------------- */

/* Implements leases on file systems without locks, with a file that is renewed
 * regularly.
 *
 * The file for run/ckpt-5.varve is run/.ckpt-5.varve.<16 hex digits>.lease. A
 * thread writes to it every VV_LEASE_RENEWAL, so that the file server sets its
 * time. A process that deletes the checkpoint compares this time with the time
 * of a file that it has just written. Both times are from the server's clock. A
 * lease that was not renewed for VV_LEASE_TERM has expired, because its process
 * was killed or its machine is gone. */

#define VV_LEASE_RENEWAL (INT64_C(10) * 1000000000) /* nanoseconds */
#define VV_LEASE_TERM (INT64_C(60) * 1000000000)

struct vv_lease_file;

/* Creates the file of a lease and the thread that renews it. `path` is the path
 * of the checkpoint. The caller must check afterwards that the checkpoint still
 * exists. */
varve_status vv_lease_file_make(const struct vv_context *context,
    const char *path, struct vv_lease_file **made, varve_error *error);

/* Renews the lease now. Any thread can call it. `path` is used in messages.
 * Returns:
 *
 * - VARVE_IO if the renewal failed. The lease expires unless a later renewal
 *   succeeds.
 * - VARVE_TIMEOUT if the lease has expired and its file was removed. Later
 *   calls return the same.
 * - VARVE_MISUSE in a child process. */
varve_status vv_lease_file_check(
    struct vv_lease_file *lease, const char *path, varve_error *error);

/* Ends the thread and removes the file. `lease` may be NULL. In a child of the
 * process that made it, it only frees the memory. */
void vv_lease_file_free(struct vv_lease_file *lease);

/* Returns true if the checkpoint `name` in an open directory has a lease that
 * has not expired, or if that cannot be determined. Removes the files of
 * expired leases. */
bool vv_lease_file_exists(
    const struct vv_context *context, int directory, const char *name);

#endif
