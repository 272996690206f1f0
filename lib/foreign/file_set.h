/* file_set.h - Writes a checkpoint that consists of data files and an index.
 *
 *     begin; index; add, write, ..., name; add, write, ..., name; end
 *
 * The older checkpoint stays complete until the index is renamed over the older
 * index, which is atomic. Before that, the data files get unused names and are
 * on disk under these names. The data files of the older checkpoint are removed
 * afterwards.
 *
 * A failure removes the written files. A process that is killed leaves data
 * files that no index contains and that readers ignore. The next write of the
 * index removes them: the temporary index of a save that did not complete lists
 * its data files, and while an older checkpoint is being removed a copy of its
 * index is kept. Other files with names of data files are not touched.
 *
 * With VV_PUBLISH_NO_REPLACE the result is VARVE_EXISTS if the index exists.
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

/* The names of data files in a format. */
struct vv_file_set_names {
    /* to fill in */
    /* Returns true if `name` can be that of a data file of this index, of any
     * save. */
    bool (*is_data)(const struct vv_file_set *set, const char *name);
    /* Returns whether an index contains the name of a data file. */
    enum vv_named (*is_named)(const struct vv_file_set *set,
        const struct vv_buffer *index, const char *name);
};

struct vv_file_set {
    /* to read */
    const struct vv_context *context;
    const char *stem; /* without directory; the names of data files begin with
                         it */
    struct vv_publication index;
    struct vv_publication *files;
    /* own */
    const struct vv_file_set_names *names;
    int flags;              /* enum vv_publish_flags */
    struct vv_buffer text;  /* the bytes of the index */
    struct vv_buffer older; /* the bytes of the index that is replaced */
    size_t count, capacity; /* of files */
    int unlisted; /* why the directory could not be listed: a negative errno, or
                     0 */
};

/* Begins a save. `path` is that of the index; all strings are borrowed. After a
 * failure nothing is left, and vv_file_set_end must not be called. */
varve_status vv_file_set_begin(struct vv_file_set *set,
    const struct vv_context *context, const char *path, const char *stem,
    const struct vv_file_set_names *names, int flags, varve_error *error);

/* Calls `each` with the names in the directory. A directory that the process
 * has no permission to list (EACCES) counts as empty. After any other failure
 * vv_file_set_name fails. */
void vv_file_set_each(struct vv_file_set *set, vv_each_name *each, void *user);

/* Writes the index. Must be called before the first data file is named. */
varve_status vv_file_set_index(struct vv_file_set *set, const void *bytes,
    size_t size, varve_error *error);

/* Begins the next data file and closes the one before. `path`, borrowed, is
 * used in error messages. The caller writes to files[count - 1].file. */
varve_status vv_file_set_add(
    struct vv_file_set *set, const char *path, varve_error *error);

/* Gives a complete data file its name, the last part of `path`, which is
 * borrowed. Returns VARVE_EXISTS if the name is taken. */
varve_status vv_file_set_name(struct vv_file_set *set, size_t number,
    const char *path, varve_error *error);

/* Puts the index in place if `status` is VARVE_OK, else removes the written
 * files. Frees the set. Returns `status` or the status of a new failure. */
varve_status vv_file_set_end(
    struct vv_file_set *set, varve_status status, varve_error *error);

/* Parses a number such as `00001-of-00003` at the start of `text`. Returns the
 * text after it, or NULL if there is none. */
const char *vv_behind_shard_number(const char *text, uint64_t *count);

#endif
