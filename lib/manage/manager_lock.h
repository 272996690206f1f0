/* manager_lock.h - The lock of a prefix: one manager at a time, by an exclusive
 * lock on the file `.PREFIX.lock` of the directory.
 *
 * The file contains, in 256 bytes that are padded with spaces, who holds the
 * lock or has held it last:
 *
 *     varve lock 1
 *     host HOST
 *     pid NUMBER
 *     run IDENTITY
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_MANAGER_LOCK_H
#define VV_MANAGER_LOCK_H

#include "listing.h"

struct vv_manager_lock {
    /* to fill in */
    int file; /* -1: not taken yet */
    /* own */
    int64_t process; /* that has taken it */
    bool is_taken;
    /* to read */
    bool is_absent; /* it was asked for, and the file system has no locks */
};

/* How a lock is taken. */
struct vv_lock_request {
    /* to fill in */
    const char *run; /* identity of who takes it */
    bool no_sync;    /* of directories that are made */
    double seconds;  /* to wait for another manager; below 0: for ever */
};

/* Takes the lock of the listing's prefix. Its directory is made if it is
 * missing, durably unless `no_sync`. A lock that is held already is taken again
 * where its directory was removed meanwhile, and made anew. VARVE_EXISTS names
 * the host, process and run of another manager that holds it. VARVE_OK with
 * `is_absent` where there are no locks: on some file systems, in stores without
 * conditional requests. */
varve_status vv_manager_lock_take(struct vv_manager_lock *lock,
    struct vv_listing *listing, const struct vv_lock_request *request,
    varve_error *error);

/* Checks that the directory exists, for a manager that must resume: a missing
 * one is not made, because its file system may not be mounted yet.
 * VARVE_NOT_FOUND. */
varve_status vv_manager_lock_check(
    struct vv_listing *listing, varve_error *error);

/* Returns whether the lock is held, and its name still leads to it. */
bool vv_manager_lock_is_held(
    const struct vv_manager_lock *lock, struct vv_listing *listing);

/* Releases it, also where a child process has inherited the descriptor. In such
 * a child only the descriptor is closed: the lock is the parent's. */
void vv_manager_lock_release(
    struct vv_manager_lock *lock, const struct vv_context *context);

#endif
