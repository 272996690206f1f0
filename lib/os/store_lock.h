/* store_lock.h - takes the lock of a manager in a store, and waits until it is
 * known whether an earlier owner still lives.
 *
 * The lock is an object that its owner renews (lib/remote/remote_lock_file.h).
 * An owner that was killed cannot release it: then it expires.
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
    int file; /* -1: not opened yet */
    /* to read */
    bool is_missing; /* the store has no conditional requests, and so no
                        locks: nobody else is kept off */
};

/* Takes the lock `path`, s3://BUCKET/.../.PREFIX.lock, or checks that it is
 * still held, without a request where that is certain. Others are told that
 * `run` has it, 1 to 63 printable characters without spaces.
 *
 * Returns at once where it is free, released or expired. Else it waits until it
 * is known whether its owner lives, a minute at most by default: until it is
 * renewed, or has expired. For an owner that lives it waits `seconds`, below 0
 * for ever, and then fails with VARVE_EXISTS; the message has host, process and
 * run of the owner.
 *
 * VARVE_OK with `is_missing` where the store has no locks; VARVE_MISUSE for a
 * path of a web server. Any other failure is one: of a request that was not
 * answered, or not allowed. After a failure the lock can be taken again;
 * release it in any case. */
varve_status vv_store_lock_take(const struct vv_context *context,
    const char *path, const char *run, double seconds,
    struct vv_store_lock *lock, varve_error *error);

/* In a child process that has inherited it the lock stays the parent's. */
void vv_store_lock_release(
    const struct vv_context *context, struct vv_store_lock *lock);

#endif
