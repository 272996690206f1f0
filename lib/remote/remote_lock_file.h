/* remote_lock_file.h - takes and renews the lock of a manager in a store: an
 * object that is changed by conditional requests only.
 *
 * The object is created with If-None-Match, and from then on replaced with
 * If-Match and the ETag that was seen last: of all who try to change one state
 * of it, exactly one succeeds. A thread of the owner renews it, since an hour
 * may lie between two saves. A lock that was not renewed for its term has
 * expired and may be taken over. It has expired where the store's own Date and
 * Last-Modified are so far apart, or where an observer has seen one ETag for so
 * long by a clock of its own that never jumps; the clocks of two machines are
 * never compared. Releasing it replaces the object by one that says "free",
 * with If-Match, since a DELETE has no condition in most stores.
 *
 * The owner itself counts the term from before the request was sent, so it
 * stops relying on the lock before anybody may take it over.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REMOTE_LOCK_FILE_H
#define VV_REMOTE_LOCK_FILE_H

#include "remote_get.h"

enum {
    VV_REMOTE_LOCK_PERIOD_MS = 15000,
    VV_REMOTE_LOCK_PERIODS = 4 /* a term */
};

struct vv_remote_lock_file;

/* Whether the last part of a path is that of a lock: ".NAME.lock". */
bool vv_remote_is_lock_file(const char *path);

/* Makes no request. NULL without memory. `settings` stay the caller's. */
struct vv_remote_lock_file *vv_remote_lock_file_new(
    const struct vv_remote_settings *settings, const char *path);

/* Sets the identity of the run that is told to others; "-" before. The object
 * has it from the next request on. */
void vv_remote_lock_file_set_run(
    struct vv_remote_lock_file *lock, const char *run, size_t size);

/* Takes it. Makes no request while it is held and its term has not ended.
 *
 * -EWOULDBLOCK: another owner has it and has renewed it meanwhile. -EBUSY:
 * another owner had it, and may be gone; to be called again, until it has
 * expired or was renewed. Both keep words for EEXIST that name the owner.
 * -EOPNOTSUPP: the store has no conditional requests, and so no locks; decided
 * by requests that have to be refused. Any other error: nothing is known. */
int vv_remote_lock_file_take(struct vv_remote_lock_file *lock);

/* Ends its thread, and releases it if it is held. One that cannot be released,
 * since nobody answers, expires. In a process that was forked since it was
 * taken nothing is released. */
void vv_remote_lock_file_release(struct vv_remote_lock_file *lock);

/* Releases it too. NULL is allowed. */
void vv_remote_lock_file_free(struct vv_remote_lock_file *lock);

#endif
