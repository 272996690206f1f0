/* file_set.h - a checkpoint of several files on its way to disk: data files,
 * and an index, which makes them a checkpoint.
 *
 *     begin; index; add, write, ..., name; add, write, ..., name; end
 *
 * Until the index has its name the older checkpoint is whole, and from then on
 * the newer one is: data files get names that nothing has, and are on disk
 * under these before the index is renamed over the older one, by which one call
 * the one takes the place of the other. Only then the data files of the older
 * one are removed.
 *
 * A failure removes what was written. A process that is killed leaves files
 * that no index names, and no reader takes for part of anything; the next write
 * of the index removes them. It knows them from the temporary index beside
 * them: that of a save that did not come to its end names its data files, and
 * while an older one is removed a copy of its index lies there. A file that
 * has the name of a data file but was named by neither is left alone.
 *
 * VV_PUBLISH_NO_REPLACE: VARVE_EXISTS where the name of the index is taken.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_FILE_SET_H
#define VV_FILE_SET_H

#include <varve/error.h>

#include "buffer.h"
#include "context.h"
#include "publish.h"

struct vv_file_set;

enum vv_named {
    VV_NOT_NAMED,
    VV_NAMED,
    VV_MAY_BE_NAMED, /* the index cannot be read */
    VV_NAME_MEMORY   /* out of memory */
};

/* What a format says of names. */
struct vv_file_set_names {
    /* to fill in */
    /* Whether a data file of this index, of any save, may be called so. */
    bool (*is_data)(const struct vv_file_set *set, const char *name);
    /* Whether an index names a data file. */
    enum vv_named (*is_named)(const struct vv_file_set *set,
        const struct vv_buffer *index, const char *name);
};

struct vv_file_set {
    /* to read */
    const struct vv_context *context;
    const char *stem; /* bare; with it the names of data files begin */
    struct vv_publication index;
    struct vv_publication *files;
    /* own */
    const struct vv_file_set_names *names;
    int flags;              /* enum vv_publish_flags */
    struct vv_buffer text;  /* of the index */
    struct vv_buffer older; /* that of the one in its place */
    size_t count, capacity; /* of files */
    int unlisted; /* what kept the names in the directory from being told: a
                     negative errno, or 0 */
};

/* `path` is that of the index; all strings are borrowed. On failure nothing is
 * left, and nothing is to be ended. */
varve_status vv_file_set_begin(struct vv_file_set *set,
    const struct vv_context *context, const char *path, const char *stem,
    const struct vv_file_set_names *names, int flags, varve_error *error);

/* Calls `each` with the names in the directory; what may not be listed has
 * none, and where that fails no data file gets a name. */
void vv_file_set_each(struct vv_file_set *set, vv_each_name *each, void *user);

/* Writes the index, before the first data file is named. */
varve_status vv_file_set_index(struct vv_file_set *set, const void *bytes,
    size_t size, varve_error *error);

/* Begins another data file; the one before is complete. `path`, borrowed, is
 * for messages. It is written through files[count - 1].file. */
varve_status vv_file_set_add(
    struct vv_file_set *set, const char *path, varve_error *error);

/* Gives a complete data file its name, the last part of `path`, borrowed.
 * VARVE_EXISTS where that is taken. */
varve_status vv_file_set_name(struct vv_file_set *set, size_t number,
    const char *path, varve_error *error);

/* Puts the index in place if `status` is VARVE_OK, else gives up; frees
 * everything; returns `status` or what failed now. */
varve_status vv_file_set_end(
    struct vv_file_set *set, varve_status status, varve_error *error);

/* Goes behind `00001-of-00003`, with which a part of a name begins; NULL where
 * it begins with something else. */
const char *vv_behind_shard_number(const char *text, uint64_t *count);

#endif
