/* remote_file.h - Open files and directories of stores, with descriptors that
 * the local system does not use.
 *
 * Functions return the same as those of system.h.
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

/* Makes no request: a missing directory is detected when it is listed. Fails
 * for a web server, which has no directories that can be listed. */
int vv_remote_open_directory(
    const struct vv_remote_settings *settings, const char *path);

int vv_remote_close(int descriptor);

int vv_remote_info(int descriptor, struct vv_file_info *info);
int64_t vv_remote_read_at(
    int descriptor, void *bytes, size_t size, uint64_t offset);
int vv_remote_will_read(int descriptor, uint64_t offset, uint64_t size);

/* Like `plan` and `drop_plan` of system.h. */
void vv_remote_plan(
    int descriptor, const void *owner, uint64_t offset, uint64_t size);
void vv_remote_drop_plan(const void *owner);

int vv_remote_each_name(int descriptor, vv_each_name *each, void *user);

/* vv_remote_open_upload returns a descriptor for an upload, which still belongs
 * to the caller. vv_remote_upload_of returns the upload of a descriptor, or
 * NULL. */
int vv_remote_open_upload(struct vv_remote_upload *upload);
struct vv_remote_upload *vv_remote_upload_of(int descriptor);

/* vv_remote_open_lock_file returns a descriptor for the lock at a path. No
 * request is made before the lock is taken; closing the descriptor releases it.
 * vv_remote_lock_file_of returns the lock of a descriptor, or NULL. */
int vv_remote_open_lock_file(
    const struct vv_remote_settings *settings, const char *path);
struct vv_remote_lock_file *vv_remote_lock_file_of(int descriptor);

/* Returns the path of a name in an open directory, to be freed; NULL if there
 * is no memory. */
char *vv_remote_path_in(int directory, const char *name);

#endif
