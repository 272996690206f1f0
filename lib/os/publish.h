/* publish.h - a file that appears under its name only when it is complete and
 * on disk.
 *
 * A temporary sibling with a random name is written; then: sync it once, check
 * its close, rename it over the old file (or only where there is none), sync
 * the directory. A failure before the rename removes the temporary file and
 * leaves the older one as it was. A failed sync is never tried again. A failed
 * sync of the directory is VARVE_UNKNOWN_OUTCOME.
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
    VV_PUBLISH_NO_SYNC = 1,    /* skip both syncs */
    VV_PUBLISH_NO_REPLACE = 2, /* VARVE_EXISTS where the name is taken */
    VV_PUBLISH_NO_LINK = 4,    /* VARVE_MISUSE where the name is that of a
                                  symbolic link: other files belong to it */
};

struct vv_publication {
    /* to read */
    const struct vv_context *context;
    const char *path; /* as the caller gave it, for messages; borrowed */
    const char *name; /* its last part, or of what its link leads to */
    int directory;
    int file; /* write here, through vv_file_write */
    int flags;
    struct vv_temporary temporary;
    /* own */
    char linked[256];        /* the name, where a link was followed */
    bool has_access;         /* it is given this one */
    struct vv_access access; /* of the file that is replaced */
};

/* Makes missing directories above `path` (and syncs their parents), removes
 * what killed processes left of the same name, and makes the temporary file. On
 * failure no file is left, and nothing is to be ended. VARVE_IS_DIRECTORY where
 * `path` is one or ends in '/'. A name that is taken although it may not be
 * replaced is told here already, and again at the end.
 *
 * A symbolic link is followed to its end, and the file there is replaced or
 * created; the temporary file is in the directory of that file, which is there.
 * The end of a link is looked for once, here. VARVE_NO_PERMISSION where the
 * link is planted (see vv_file_look). The file takes over the access of a
 * regular file that it replaces, as far as that is permitted, unless that one
 * is planted. */
varve_status vv_publish_begin(struct vv_publication *p,
    const struct vv_context *context, const char *path, int flags,
    varve_error *error);

/* The same; where no file is replaced, the access is `like`, or that of a new
 * file if that is NULL. */
varve_status vv_publish_begin_like(struct vv_publication *p,
    const struct vv_context *context, const char *path, int flags,
    const struct vv_access *like, varve_error *error);

/* What has the name is spared from now on, as VV_PUBLISH_NO_REPLACE does it. */
void vv_publish_spare(struct vv_publication *p);

/* Publishes if `status` is VARVE_OK, else gives up; closes everything; returns
 * `status` or what failed now. */
varve_status vv_publish_end(
    struct vv_publication *p, varve_status status, varve_error *error);

/* Renames a file in an open directory and never replaces another one, whatever
 * other processes do meanwhile: by a rename that cannot replace; where the file
 * system has none (NFS, many FUSE file systems), by a hard link; where it has
 * neither (FAT), by a file created under the name. Returns 0; -EEXIST where the
 * name is taken; another negative number of errno. Syncs nothing. */
int vv_rename_new(const struct vv_context *context, int directory,
    const char *from, const char *to);

/* --- One of several ------------------------------------------------------
 *
 * A file in a directory that is open already and stays so, whose sync the
 * caller sees to: begin_in; write; close; place. Or give_up, at any time. */

/* The temporary file is called after `name`; `path` is for messages. The file
 * has the access `like`, unless that is NULL. On failure nothing is left. */
varve_status vv_publish_begin_in(struct vv_publication *p,
    const struct vv_context *context, int directory, const char *name,
    const char *path, int flags, const struct vv_access *like,
    varve_error *error);

/* The access that the file takes over from one that it replaces, for those that
 * belong to it; borrowed. NULL where it takes none. */
const struct vv_access *vv_publish_access(const struct vv_publication *p);

/* Syncs it if `status` is VARVE_OK, and closes it; it may not be written any
 * more. A second time does nothing. */
varve_status vv_publish_close(
    struct vv_publication *p, varve_status status, varve_error *error);

/* Gives it the last part of `path`, borrowed, as its name. */
varve_status vv_publish_place(
    struct vv_publication *p, const char *path, varve_error *error);

/* Closes and removes it, whatever it is called by now. */
void vv_publish_give_up(struct vv_publication *p);

/* vv_publish_end, but the directory stays open. */
varve_status vv_publish_commit(
    struct vv_publication *p, varve_status status, varve_error *error);

#endif
