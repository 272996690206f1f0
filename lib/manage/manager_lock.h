/* manager_lock.h - Locks a prefix for one manager, with an exclusive lock on
 * the file `.PREFIX.lock` in the directory.
 *
 * The file contains the present or last owner, in 256 bytes padded with spaces.
 * An owner that has resumed or saved is active; one that only lists or prunes
 * is not.
 *
 *     varve lock 1
 *     host HOST
 *     pid NUMBER
 *     run IDENTITY
 *     active
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_MANAGER_LOCK_H
#define VV_MANAGER_LOCK_H

#include "listing.h"

enum { VV_LOCK_OWNER_SIZE = 256 };

struct vv_manager_lock {
    /* to fill in */
    int file; /* -1: not taken */
    /* own */
    int64_t process;   /* the process that took it */
    bool has_identity; /* `identity` is that of `file` */
    struct vv_file_info identity;
    char owner[VV_LOCK_OWNER_SIZE]; /* as written; empty if that failed */
    bool is_taken;
    bool is_active;
    /* to read */
    bool is_absent; /* the file system has no locks */
};

/* The options of vv_manager_lock_take. */
struct vv_lock_request {
    /* to fill in */
    const char *run; /* identity of the new owner */
    bool no_sync;    /* for new directories */
    double seconds;  /* maximum time to wait for another manager; negative:
                        unlimited */
};

/* Takes the lock of the listing's prefix. Creates the directory if it is
 * missing, durably unless `no_sync`. If the directory of a held lock was
 * removed and created again, takes the lock again. Returns:
 *
 * - VARVE_EXISTS, with the host, process and run of another manager that has
 *   the lock, or that has taken a held lock over as in
 *   vv_manager_lock_confirm.
 * - VARVE_OK with `is_absent` if there are no locks: on some file systems, and
 *   in stores without conditional requests. */
varve_status vv_manager_lock_take(struct vv_manager_lock *lock,
    struct vv_listing *listing, const struct vv_lock_request *request,
    varve_error *error);

/* Records that the owner of a held lock is active. Call it before the listing
 * of a resume or a first save. */
void vv_manager_lock_activate(struct vv_manager_lock *lock,
    const struct vv_context *context, const char *run);

/* Checks that no other manager has taken over a held lock. That happens without
 * locks, and where each node has locks of its own (NFS with `local_lock`,
 * Lustre with `localflock`): the file then contains another active owner.
 * Returns VARVE_EXISTS with that owner, and VARVE_OK if the file cannot be read
 * or the lock is not held. Call it before reporting a save or replacing a
 * file. */
varve_status vv_manager_lock_confirm(const struct vv_manager_lock *lock,
    struct vv_listing *listing, varve_error *error);

/* Returns VARVE_MISUSE if the directory does not exist, but is a prefix of
 * checkpoints, which varve_save and the command take. */
varve_status vv_manager_lock_check_path(
    const struct vv_listing *listing, varve_error *error);

/* Checks that the directory exists, for a manager that must resume. A missing
 * directory is not created, because its file system may not be mounted yet.
 * Returns VARVE_NOT_FOUND if it is missing. */
varve_status vv_manager_lock_check(
    struct vv_listing *listing, varve_error *error);

/* Returns true if the lock is held and the name of its file still refers to
 * it. */
bool vv_manager_lock_is_held(
    const struct vv_manager_lock *lock, struct vv_listing *listing);

/* Releases the lock, also if a child process has inherited the descriptor. In
 * such a child it only closes the descriptor, because the lock belongs to the
 * parent. */
void vv_manager_lock_release(
    struct vv_manager_lock *lock, const struct vv_context *context);

#endif
