/* remote_lock_file.h - Takes and renews the lock of a manager in a store: an
 * object that is changed only by conditional requests.
 *
 * The object is created with If-None-Match, and then replaced with If-Match and
 * the last seen ETag: of all processes that try to change one state of it,
 * exactly one succeeds. A thread of the owner renews it, because two saves can
 * be hours apart. A lock that was not renewed for its term has expired, and
 * another process can take it over. It has expired if the store's own Date and
 * Last-Modified are that far apart, or if an observer has seen one ETag for
 * that long by its own monotonic clock. Clocks of two machines are never
 * compared. To release the lock, the object is replaced by one with the state
 * "free", with If-Match, because most stores do not support conditional DELETE.
 *
 * The owner counts the term from before the request was sent. So it stops
 * relying on the lock before another process can take it over.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REMOTE_LOCK_FILE_H
#define VV_REMOTE_LOCK_FILE_H

#include "remote_get.h"

enum {
    VV_REMOTE_LOCK_PERIOD_MS = 15000,
    VV_REMOTE_LOCK_PERIODS = 4 /* periods in a term */
};

struct vv_remote_lock_file;

/* Returns true if the last part of a path has the form of a lock:
 * ".NAME.lock". */
bool vv_remote_is_lock_file(const char *path);

/* Creates the lock without a request. Returns NULL if there is no memory.
 * `settings` are borrowed. */
struct vv_remote_lock_file *vv_remote_lock_file_new(
    const struct vv_remote_settings *settings, const char *path);

/* Sets the identity of the run that other processes see; "-" before. The object
 * contains it from the next request on. */
void vv_remote_lock_file_set_run(
    struct vv_remote_lock_file *lock, const char *run, size_t size);

/* Takes the lock. Makes no request if it is held and its term has not ended.
 *
 * Returns -EWOULDBLOCK if another owner has it and has renewed it meanwhile.
 * Returns -EBUSY if another owner had it and may have died; call again until it
 * has expired or was renewed. Both store a text for EEXIST that contains the
 * owner. Returns -EOPNOTSUPP if the store has no conditional requests and
 * therefore no locks; requests that must be refused detect this. After any
 * other error the state is unknown. */
int vv_remote_lock_file_take(struct vv_remote_lock_file *lock);

/* Ends the renewal thread, and releases the lock if it is held. If the store
 * does not respond, the lock expires. A forked child releases nothing. */
void vv_remote_lock_file_release(struct vv_remote_lock_file *lock);

/* Releases and frees it. Accepts NULL. */
void vv_remote_lock_file_free(struct vv_remote_lock_file *lock);

#endif
