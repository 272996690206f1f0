/* directory.h - Opens, makes and lists the directory of a path, and checks
 * links out of it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_DIRECTORY_H
#define VV_DIRECTORY_H

#include <varve/error.h>

#include "context.h"
#include "system.h"

/* --- Directories ---------------------------------------------------------- */

/* Opens, makes and lists the directory of a path. */

/* Returns the last part of a path, after its last '/'. */
const char *vv_path_name(const char *path);

/* Opens the directory that contains the last part of `path`, "." for a bare
 * name. Close the descriptor with vv_file_close. */
varve_status vv_directory_open_parent(const struct vv_context *context,
    const char *path, int *directory, varve_error *error);

/* Like vv_directory_open_parent, but makes missing directories first. Syncs the
 * parent of each new directory unless `no_sync`. Also syncs the parent of the
 * deepest existing directory, because a killed save may have made it without a
 * sync; this is omitted for the directory in `context->durable`. On failure,
 * directories that were made and synced remain. */
varve_status vv_directory_make_parent(const struct vv_context *context,
    const char *path, bool no_sync, int *directory, varve_error *error);

/* Replaces *directory, an open directory, by the one that contains the last
 * part of `path`. A relative path starts at the open directory. The new one
 * must exist; its parent is synced as in vv_directory_make_parent. On failure
 * *directory is unchanged. */
varve_status vv_directory_go_to_parent(const struct vv_context *context,
    const char *path, bool no_sync, int *directory, varve_error *error);

/* Calls `each` with every name in an open directory; `path` is for messages. */
varve_status vv_directory_each_in(const struct vv_context *context,
    int directory, const char *path, vv_each_name *each, void *user,
    varve_error *error);

/* Calls `each` with every name in the directory of `path`. A missing directory
 * counts as empty. */
varve_status vv_directory_each(const struct vv_context *context,
    const char *path, vv_each_name *each, void *user, varve_error *error);

/* --- Links ---------------------------------------------------------------- */

/* Checks that a file whose name another file contains is in the directory of
 * that file, after links are followed. */

/* Returns VARVE_NO_PERMISSION if `path`, a name from the file at `naming`
 * joined to its directory, is a symbolic link out of that directory. Links to
 * files of the directory are allowed. If `naming` itself is a link, files of
 * the directory to which it leads are allowed too: the cache of Hugging Face
 * keeps all files of a model in one directory, and links to them in another.
 * Returns VARVE_OK if there is no such file. The context's `follows_links`
 * allows any link. */
varve_status vv_file_check_directory(const struct vv_context *context,
    const char *naming, const char *path, varve_error *error);

#endif
