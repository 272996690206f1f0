/* bundle_files.h - the files of a TensorFlow checkpoint on their way to disk:
 * `PREFIX.data-00000-of-00001` and so on, and `PREFIX.index`, which makes them
 * a checkpoint.
 *
 *     begin; shard, write, write, ..., shard, write, ...; count; end
 *
 * The names of the data files are fixed by their number, which the index says.
 * A checkpoint that replaces one of as many files says that it has one file
 * more, and has one that is empty. So no name is ever that of two checkpoints,
 * and file_set.h can promise that there is always the older one or the newer
 * one, whole.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_BUNDLE_FILES_H
#define VV_BUNDLE_FILES_H

#include <varve/error.h>

#include "file_set.h"

struct vv_bundle_shard {
    char *first_path; /* while nobody knows how many there will be */
    char *path;
    uint64_t size; /* so far */
};

struct vv_bundle_files {
    const struct vv_context *context;
    char *prefix;
    char *index_path;
    struct vv_file_set set;
    struct vv_bundle_shard *shards;
    size_t count, capacity;
    size_t named_count;     /* how many the index says there are */
    unsigned char *staging; /* small pieces gather here */
    size_t staged;          /* bytes in it; they end at the shard's size */
};

/* `path` is the prefix, or that of the index. On failure nothing is left, and
 * nothing is to be ended. */
varve_status vv_bundle_files_begin(struct vv_bundle_files *files,
    const struct vv_context *context, const char *path, int flags,
    varve_error *error);

/* Begins the first or another data file. */
varve_status vv_bundle_files_shard(
    struct vv_bundle_files *files, varve_error *error);

/* Appends to the data file begun last. */
varve_status vv_bundle_files_write(struct vv_bundle_files *files,
    const void *bytes, size_t size, varve_error *error);

/* How many data files the index has to name, once all are written. */
size_t vv_bundle_files_count(struct vv_bundle_files *files);

/* Puts all in place if `status` is VARVE_OK, else gives up; frees everything;
 * returns `status` or what failed now. */
varve_status vv_bundle_files_end(struct vv_bundle_files *files,
    const struct vv_buffer *index, varve_status status, varve_error *error);

#endif
