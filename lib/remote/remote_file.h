/* remote_file.h - files and directories of stores that are open, by descriptors
 * that the machine does not give.
 *
 * Functions return what those of system.h do.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REMOTE_FILE_H
#define VV_REMOTE_FILE_H

#include "remote_get.h"

struct vv_remote_lock_file;
struct vv_remote_upload;

bool vv_remote_is_ours(int descriptor);

int vv_remote_open_file(
    const struct vv_remote_settings *settings, const char *path);

/* Asks nobody: whether there is one is seen when it is listed. A web server has
 * none that can be. */
int vv_remote_open_directory(
    const struct vv_remote_settings *settings, const char *path);

int vv_remote_close(int descriptor);

int vv_remote_info(int descriptor, struct vv_file_info *info);
int64_t vv_remote_read_at(
    int descriptor, void *bytes, size_t size, uint64_t offset);
int vv_remote_will_read(int descriptor, uint64_t offset, uint64_t size);

/* As `plan` and `drop_plan` of system.h. */
void vv_remote_plan(
    int descriptor, const void *owner, uint64_t offset, uint64_t size);
void vv_remote_drop_plan(const void *owner);

int vv_remote_each_name(int descriptor, vv_each_name *each, void *user);

/* A descriptor of a file that is written, which stays the caller's; and the
 * file of one, NULL where it is of none. */
int vv_remote_open_upload(struct vv_remote_upload *upload);
struct vv_remote_upload *vv_remote_upload_of(int descriptor);

/* A descriptor of the lock of a path, to which nobody makes a request before it
 * is taken; closing it releases the lock. And the lock of a descriptor, NULL
 * where it is of none. */
int vv_remote_open_lock_file(
    const struct vv_remote_settings *settings, const char *path);
struct vv_remote_lock_file *vv_remote_lock_file_of(int descriptor);

/* The path of a name in a directory that is open, to be freed; NULL without
 * memory. */
char *vv_remote_path_in(int directory, const char *name);

#endif
