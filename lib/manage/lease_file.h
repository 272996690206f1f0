/* lease_file.h - A lease where the file system has no locks: a file beside the
 * checkpoint, whose time is renewed as long as the lease lives.
 *
 * The file of run/ckpt-5.varve is run/.ckpt-5.varve.<16 hex digits>.lease. A
 * thread writes to it every VV_LEASE_RENEWAL, so that the file server sets its
 * time. Whoever wants to delete the checkpoint compares that time with the time
 * of a file that it has just written itself: both are of one clock, the
 * server's. A lease that was not renewed for VV_LEASE_TERM has expired: its
 * process was killed, or its machine is gone.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_LEASE_FILE_H
#define VV_LEASE_FILE_H

#include <stdbool.h>

#include <varve/error.h>

#include "context.h"

#define VV_LEASE_RENEWAL (INT64_C(10) * 1000000000) /* nanoseconds */
#define VV_LEASE_TERM (INT64_C(60) * 1000000000)

struct vv_lease_file;

/* Makes the file of a lease and the thread that renews it. `path` is that of
 * the checkpoint, which has to be looked for after this call. */
varve_status vv_lease_file_make(const struct vv_context *context,
    const char *path, struct vv_lease_file **made, varve_error *error);

/* Renews the lease now. VARVE_IO where that failed: it expires unless a later
 * renewal succeeds. VARVE_TIMEOUT where it has expired and its file was
 * removed; it stays so. VARVE_MISUSE in a child process. `path` is for
 * messages. Any thread may call it. */
varve_status vv_lease_file_check(
    struct vv_lease_file *lease, const char *path, varve_error *error);

/* Ends the thread and removes the file. Takes NULL. In a child process of the
 * one that has made it only the memory is released. */
void vv_lease_file_free(struct vv_lease_file *lease);

/* Returns whether a lease that has not expired names the checkpoint `name` in
 * an open directory; true where that cannot be found out. Removes the files of
 * leases that have expired. */
bool vv_lease_file_exists(
    const struct vv_context *context, int directory, const char *name);

#endif
