/* bundle_files.h - the files of a TensorFlow checkpoint on their way to disk:
 * `PREFIX.data-00000-of-00001` and so on, and `PREFIX.index`, which makes them
 * a checkpoint.
 *
 *     begin; shard, write, write, ..., shard, write, ...; end
 *
 * All of them are written and synced under temporary names first. Until then an
 * older checkpoint of the same prefix is as it was. Then: the older index is
 * removed and that is synced, so that it never stands beside data of others;
 * the data files get their names; the index gets its own.
 *
 * A failure leaves no temporary file. One that comes after the older index was
 * removed (a rename, or the sync of a directory) leaves data files without an
 * index, which are no checkpoint, and the older one is gone. Data files of an
 * older checkpoint that had another number of them stay in any case.
 *
 * VV_PUBLISH_NO_REPLACE: VARVE_EXISTS where the name of the index is taken.
 * Data files without an index are replaced all the same. Where two processes
 * write one prefix, one of them may lose its data to the other.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_BUNDLE_FILES_H
#define VV_BUNDLE_FILES_H

#include <varve/error.h>

#include "buffer.h"
#include "context.h"
#include "publish.h"

struct vv_bundle_shard {
    struct vv_publication publication;
    char *first_path; /* while nobody knows how many there will be */
    char *path;
    uint64_t size;    /* so far */
};

struct vv_bundle_files {
    const struct vv_context *context;
    int flags; /* enum vv_publish_flags */
    char *prefix;
    char *index_path;
    struct vv_publication index;
    struct vv_bundle_shard *shards;
    size_t count, capacity;
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

/* Puts all in place if `status` is VARVE_OK, else gives up; frees everything;
 * returns `status` or what failed now. */
varve_status vv_bundle_files_end(struct vv_bundle_files *files,
    const struct vv_buffer *index, varve_status status, varve_error *error);

#endif
