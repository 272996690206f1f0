/* publish.h - Writes a file that appears under its name only when it is
 * complete and on disk.
 *
 * The data is written to a temporary file with a random name in the same
 * directory. Then the file is synced once and closed, it is renamed over the
 * old file (or only if there is none), and the directory is synced. A failure
 * before the rename removes the temporary file and leaves the older one
 * unchanged. A failed sync is never repeated. A failed sync of the directory is
 * VARVE_UNKNOWN_OUTCOME.
 *
 *     struct vv_publication p;
 *     if ((status = vv_publish_begin(&p, context, path, flags, error)))
 *         return status;
 *     status = write_through(p.file, ...);
 *     return vv_publish_end(&p, status, error);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PUBLISH_H
#define VV_PUBLISH_H

#include <stdbool.h>

#include <varve/error.h>

#include "context.h"
#include "system.h"
#include "temporary.h"

enum vv_publish_flags {
    VV_PUBLISH_NO_SYNC = 1,    /* omit both syncs */
    VV_PUBLISH_NO_REPLACE = 2, /* VARVE_EXISTS if the name exists */
    /* VARVE_MISUSE if the name is a symbolic link, because other files belong
     * to it */
    VV_PUBLISH_NO_LINK = 4,
    /* Do not search for left-over temporary files: there are none */
    VV_PUBLISH_NO_SWEEP = 8,
};

struct vv_publication {
    /* to read */
    const struct vv_context *context;
    const char *path; /* the caller's path, for messages; borrowed */
    const char *name; /* its last part, or that of the target of its link */
    int directory;
    int file; /* to be written with vv_file_write */
    int flags;
    struct vv_temporary temporary;
    /* own */
    char linked[256];        /* the name after a link was followed */
    bool has_access;         /* the file gets `access` */
    struct vv_access access; /* of the file that is replaced */
};

/* Makes missing directories of `path` (and syncs their parents), removes
 * temporary files of killed processes for the same name, and makes the
 * temporary file. On failure no file remains, and nothing is to be ended.
 * Returns VARVE_IS_DIRECTORY if `path` is a directory or ends in '/'. An
 * existing name that must not be replaced is reported here, and checked again
 * at the end.
 *
 * A symbolic link is followed to its end, and its target is replaced or
 * created. The temporary file is made in the directory of the target, which
 * must exist. The link is followed only once, here. Returns VARVE_NO_PERMISSION
 * if the link is planted (see vv_file_look). The new file gets the access of a
 * regular file that it replaces, as far as permitted, unless that file is
 * planted. */
varve_status vv_publish_begin(struct vv_publication *p,
    const struct vv_context *context, const char *path, int flags,
    varve_error *error);

/* Like vv_publish_begin; if no file is replaced, the new file gets the access
 * `like`, or the default access if that is NULL. */
varve_status vv_publish_begin_like(struct vv_publication *p,
    const struct vv_context *context, const char *path, int flags,
    const struct vv_access *like, varve_error *error);

/* From now on behaves like VV_PUBLISH_NO_REPLACE. */
void vv_publish_keep_existing(struct vv_publication *p);

/* Publishes the file if `status` is VARVE_OK, otherwise removes it. Closes
 * everything. Returns `status` or the failure of this call. */
varve_status vv_publish_end(
    struct vv_publication *p, varve_status status, varve_error *error);

/* Renames a file in an open directory and never replaces another one, whatever
 * other processes do: by a rename that cannot replace; if the file system does
 * not support that (NFS, many FUSE file systems), by a hard link; if it has
 * neither (FAT), by exclusive creation of the new name. Returns 0, -EEXIST if
 * the name exists, or another negative errno. Syncs nothing. */
int vv_rename_new(const struct vv_context *context, int directory,
    const char *from, const char *to);

/* --- One file of several -------------------------------------------------
 *
 * A file in a directory that is open already and stays so, whose sync the
 * caller sees to: begin_in; write; close; place. Or give_up, at any time. */

/* Makes a temporary file named after `name`; `path` is for messages. The file
 * gets the access `like` unless that is NULL. On failure nothing remains. */
varve_status vv_publish_begin_in(struct vv_publication *p,
    const struct vv_context *context, int directory, const char *name,
    const char *path, int flags, const struct vv_access *like,
    varve_error *error);

/* Returns the access that the file takes from one that it replaces, for the
 * other files of the same checkpoint; borrowed. Returns NULL if it takes
 * none. */
const struct vv_access *vv_publish_access(const struct vv_publication *p);

/* Closes the file, after a sync if `status` is VARVE_OK. It can no longer be
 * written. A second call does nothing. */
varve_status vv_publish_close(
    struct vv_publication *p, varve_status status, varve_error *error);

/* Renames the file to the last part of `path`, which is borrowed. */
varve_status vv_publish_place(
    struct vv_publication *p, const char *path, varve_error *error);

/* Closes and removes the file, whatever its current name. */
void vv_publish_give_up(struct vv_publication *p);

/* Like vv_publish_end, but the directory remains open. */
varve_status vv_publish_commit(
    struct vv_publication *p, varve_status status, varve_error *error);

#endif
