/* bundle_out.h - Writes values and their index as a TensorFlow checkpoint
 * (tensor_bundle.cc, format version 1).
 *
 * begin; add, add, ...; end
 *
 * Values are written in the order in which they are added. The index is a table
 * sorted by key. Data and index are byte for byte what TensorFlow's
 * BundleWriter produces for the same calls. See bundle_out.h for the files
 * that a failure can leave.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_BUNDLE_OUT_H
#define VV_BUNDLE_OUT_H

#include <varve/error.h>
#include <varve/tensor.h>

#include "file_set.h"

/* --- Files ---------------------------------------------------------------- */

/* Writes the files of a TensorFlow checkpoint: `PREFIX.data-00000-of-00001` and
 * so on, and `PREFIX.index`, whose rename publishes the checkpoint.
 *
 * begin; shard, write, write, ..., shard, write, ...; count; end
 *
 * The names of the data files contain their number, which is also in the index.
 * A checkpoint that replaces one with the same number of files is written with
 * one additional, empty file. Therefore two checkpoints never share a name, and
 * file_set.h can guarantee that either the older or the newer checkpoint is
 * always complete. */

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

/* --- Values --------------------------------------------------------------- */

struct vv_bundle_record {
    size_t key, key_size; /* offset in `texts` */
    size_t entry, entry_size;
    const unsigned char *texts; /* set while records are sorted */
};

struct vv_bundle_out {
    struct vv_bundle_files files;
    const char *path; /* for messages; borrowed */
    uint64_t shard_size;
    struct vv_buffer texts; /* keys and entries */
    struct vv_bundle_record *records;
    size_t count, capacity;
    struct vv_buffer varints; /* encoded lengths of the strings of a value */
};

struct vv_bundle_value {
    const char *key; /* not empty; can contain any bytes */
    size_t key_size;
    varve_tensor type; /* type and shape */
    uint32_t number;   /* TensorFlow's number if the type has no equal in Varve,
                          or 0 */
    const unsigned char
        *bytes; /* row-major, little-endian; for strings only their contents */
    uint64_t size;
    const unsigned char *lengths; /* of strings: 64 bits each, little-endian */
};

/* Begins a checkpoint like vv_bundle_files_begin. A new data file is begun
 * before a value that would make the current one larger than `shard_size`,
 * unless that is 0. A value is never split. */
varve_status vv_bundle_out_begin(struct vv_bundle_out *out,
    const struct vv_context *context, const char *path, int flags,
    uint64_t shard_size, varve_error *error);

/* Adds a value. Returns VARVE_LIMIT for an extent of 2^63 or more. */
varve_status vv_bundle_out_add(struct vv_bundle_out *out,
    const struct vv_bundle_value *value, varve_error *error);

/* Sets *sum to the CRC of `count` variants as they are stored. Returns false if
 * the bytes are not variants. */
bool vv_bundle_sum_variants(
    const unsigned char *bytes, uint64_t size, uint64_t count, uint32_t *sum);

/* Publishes the checkpoint if `status` is VARVE_OK, and removes its files
 * otherwise. Frees everything. Returns `status`, or the status of a failure of
 * its own: VARVE_DUPLICATE if two values have the same key. */
varve_status vv_bundle_out_end(
    struct vv_bundle_out *out, varve_status status, varve_error *error);

#endif
