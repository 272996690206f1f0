/* remote_publish.h - files that are written aside, as temporary.h calls them,
 * and how they come to a store: in one step, when they are renamed.
 *
 * Functions return what those of system.h do; paths are whole.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REMOTE_PUBLISH_H
#define VV_REMOTE_PUBLISH_H

#include "remote_get.h"

/* A new file of a temporary name, to be written; nobody is asked. Any other
 * name is refused. */
int vv_remote_create(
    const struct vv_remote_settings *settings, const char *path);

/* As vv_remote_open_file. One that is being written here is not read. */
int vv_remote_look_up(
    const struct vv_remote_settings *settings, const char *path);

int64_t vv_remote_write_at(
    int descriptor, const void *bytes, size_t size, uint64_t offset);
int vv_remote_reserve(int descriptor, uint64_t size);

/* Of a file all that is written, but for one of a single part, has come to the
 * store then. */
int vv_remote_sync(int descriptor);

/* Closes whatever it is of. */
int vv_remote_end(int descriptor);

/* Publishes what was written aside. -EINPROGRESS: nobody knows whether it is
 * there. Other files have the names that they have: -EOPNOTSUPP. */
int vv_remote_rename(const struct vv_remote_settings *settings,
    const char *from, const char *to, bool is_new);

/* Gives up what was written aside; deletes any other file. */
int vv_remote_remove(
    const struct vv_remote_settings *settings, const char *path);

#endif
