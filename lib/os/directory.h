/* directory.h - what is in the directory of a path.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_DIRECTORY_H
#define VV_DIRECTORY_H

#include <varve/error.h>

#include "context.h"
#include "system.h"

/* The last part of a path: what is behind its last '/'. */
const char *vv_path_name(const char *path);

/* Opens the directory that holds the last part of `path`, "." for a bare name.
 * The descriptor is closed with vv_file_close. */
varve_status vv_directory_open_parent(const struct vv_context *context,
    const char *path, int *directory, varve_error *error);

/* Opens it as above after making what is missing of it, each new directory's
 * parent synced unless `no_sync`. What holds the deepest one that was there is
 * synced too: a save that was killed may have made it and not come so far. Once
 * is enough for the directory that `context->durable` remembers. On failure,
 * directories that were made and synced stay. */
varve_status vv_directory_make_parent(const struct vv_context *context,
    const char *path, bool no_sync, int *directory, varve_error *error);

/* Goes from an open directory to the one that holds the last part of `path`,
 * which starts there if it is relative. That one is there, and what holds it is
 * synced as above. On failure *directory stays as it is. */
varve_status vv_directory_go_to_parent(const struct vv_context *context,
    const char *path, bool no_sync, int *directory, varve_error *error);

/* Calls `each` with every name beside `path`. A directory that is not there has
 * no names. */
varve_status vv_directory_each(const struct vv_context *context,
    const char *path, vv_each_name *each, void *user, varve_error *error);

#endif
