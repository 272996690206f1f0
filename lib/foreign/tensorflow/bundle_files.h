/* bundle_files.h - Writes the files of a TensorFlow checkpoint:
 * `PREFIX.data-00000-of-00001` and so on, and `PREFIX.index`, whose rename
 * publishes the checkpoint.
 *
 *     begin; shard, write, write, ..., shard, write, ...; count; end
 *
 * The names of the data files contain their number, which is also in the index.
 * A checkpoint that replaces one with the same number of files is written with
 * one additional, empty file. Therefore two checkpoints never share a name, and
 * file_set.h can guarantee that either the older or the newer checkpoint is
 * always complete.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_BUNDLE_FILES_H
#define VV_BUNDLE_FILES_H

#include <varve/error.h>

#include "file_set.h"

struct vv_bundle_shard {
    char *first_path; /* the path until the number of files is known */
    char *path;
    uint64_t size; /* bytes written so far */
};

struct vv_bundle_files {
    const struct vv_context *context;
    char *prefix;
    char *index_path;
    struct vv_file_set set;
    struct vv_bundle_shard *shards;
    size_t count, capacity;
    size_t named_count;     /* the number of files in the index */
    unsigned char *staging; /* buffer for small writes */
    size_t staged;          /* bytes in `staging`: the last ones of the shard */
};

/* `path` is the prefix or the path of the index. On failure no files remain,
 * and vv_bundle_files_end must not be called. */
varve_status vv_bundle_files_begin(struct vv_bundle_files *files,
    const struct vv_context *context, const char *path, int flags,
    varve_error *error);

/* Begins a data file. */
varve_status vv_bundle_files_shard(
    struct vv_bundle_files *files, varve_error *error);

/* Appends to the last data file. */
varve_status vv_bundle_files_write(struct vv_bundle_files *files,
    const void *bytes, size_t size, varve_error *error);

/* Returns the number of data files to write into the index. Call it after all
 * data was written. */
size_t vv_bundle_files_count(struct vv_bundle_files *files);

/* Publishes the checkpoint if `status` is VARVE_OK, and removes its files
 * otherwise. Frees everything. Returns `status`, or the status of a failure of
 * its own. */
varve_status vv_bundle_files_end(struct vv_bundle_files *files,
    const struct vv_buffer *index, varve_status status, varve_error *error);

#endif
