/* remote_publish.h - Uploads under temporary names (temporary.h), which are
 * published in one step when they are renamed.
 *
 * Functions return the same as those of system.h; paths are complete.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REMOTE_PUBLISH_H
#define VV_REMOTE_PUBLISH_H

#include "remote_get.h"

/* Creates a file with a temporary name, to be written, without a request.
 * Refuses other names. */
int vv_remote_create(
    const struct vv_remote_settings *settings, const char *path);

/* Like vv_remote_open_file. Fails for a file that this process is writing. */
int vv_remote_look_up(
    const struct vv_remote_settings *settings, const char *path);

int64_t vv_remote_write_at(
    int descriptor, const void *bytes, size_t size, uint64_t offset);
int vv_remote_reserve(int descriptor, uint64_t size);

/* Completes the upload of all written parts. A file of a single part is
 * uploaded later, by the rename. */
int vv_remote_sync(int descriptor);

/* Closes any descriptor of a store. */
int vv_remote_end(int descriptor);

/* Publishes an upload. Returns -EINPROGRESS if the outcome is unknown, and
 * -EOPNOTSUPP for other files, which cannot be renamed. */
int vv_remote_rename(const struct vv_remote_settings *settings,
    const char *from, const char *to, bool is_new);

/* Aborts an upload; deletes any other file. */
int vv_remote_remove(
    const struct vv_remote_settings *settings, const char *path);

#endif
