/* store_lock.h - Takes the lock of a manager in a store, and waits until it is
 * known whether an earlier owner is alive.
 *
 * The lock is an object that its owner renews (lib/remote/remote_lock_file.h).
 * A killed owner cannot release it, so it expires.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_STORE_LOCK_H
#define VV_STORE_LOCK_H

#include <stdbool.h>

#include <varve/error.h>

#include "context.h"

struct vv_store_lock {
    /* to fill in */
    int file; /* -1 before it is opened */
    /* to read */
    /* the store has no conditional requests and therefore no locks: other
     * managers are not excluded */
    bool is_missing;
};

/* Takes the lock `path`, s3://BUCKET/.../.PREFIX.lock, or checks that it is
 * still held, without a request if that is certain. Records `run` as its owner,
 * 1 to 63 printable characters without spaces.
 *
 * Returns at once if the lock is free, released or expired. Otherwise waits
 * until it is renewed or has expired, by default at most a minute. If the owner
 * is alive, waits another `seconds`, without a limit if negative, and then
 * fails with VARVE_EXISTS; the message contains host, process and run of the
 * owner.
 *
 * Returns VARVE_OK with `is_missing` if the store has no locks, and
 * VARVE_MISUSE for a path of a web server. Other failures are those of requests
 * that were not answered or not allowed. After a failure the lock can be taken
 * again; release it in any case. */
varve_status vv_store_lock_take(const struct vv_context *context,
    const char *path, const char *run, double seconds,
    struct vv_store_lock *lock, varve_error *error);

/* Releases the lock. In a child process that has inherited it, the lock remains
 * with the parent. */
void vv_store_lock_release(
    const struct vv_context *context, struct vv_store_lock *lock);

#endif
