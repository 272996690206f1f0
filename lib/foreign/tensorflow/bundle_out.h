/* bundle_out.h - values under keys, as a TensorFlow checkpoint
 * (tensor_bundle.cc, format version 1).
 *
 *     begin; add, add, ...; end
 *
 * Values lie one behind the other in the order in which they are added; the
 * index is a table sorted by key. Data and index are byte for byte what
 * TensorFlow's BundleWriter makes of the same calls. What may be left by a
 * failure is said in bundle_files.h.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_BUNDLE_OUT_H
#define VV_BUNDLE_OUT_H

#include <varve/error.h>
#include <varve/tensor.h>

#include "bundle_files.h"

struct vv_bundle_record {
    size_t key, key_size; /* in `texts` */
    size_t entry, entry_size;
    const unsigned char *texts; /* while they are sorted */
};

struct vv_bundle_out {
    struct vv_bundle_files files;
    const char *path; /* for messages; borrowed */
    uint64_t shard_size;
    struct vv_buffer texts; /* keys and their entries */
    struct vv_bundle_record *records;
    size_t count, capacity;
    struct vv_buffer varints; /* lengths of the strings of a value */
};

struct vv_bundle_value {
    const char *key; /* not empty; any bytes */
    size_t key_size;
    varve_tensor type; /* and shape */
    uint32_t number;   /* TensorFlow's of the type, if it is none of ours */
    const unsigned char *bytes; /* row-major, little-endian; of strings only
                                   the bytes of all of them */
    uint64_t size;
    const unsigned char *lengths; /* of strings: 64 bits each, little-endian */
};

/* As vv_bundle_files_begin. Another data file is begun before a value that
 * would make one larger than `shard_size`; 0: never. A value is not cut. */
varve_status vv_bundle_out_begin(struct vv_bundle_out *out,
    const struct vv_context *context, const char *path, int flags,
    uint64_t shard_size, varve_error *error);

/* VARVE_LIMIT for an extent from 2^63 up. */
varve_status vv_bundle_out_add(struct vv_bundle_out *out,
    const struct vv_bundle_value *value, varve_error *error);

/* The sum of variants as they are stored, so many in these bytes; false for
 * bytes that are none. */
bool vv_bundle_sum_variants(
    const unsigned char *bytes, uint64_t size, uint64_t count, uint32_t *sum);

/* Publishes if `status` is VARVE_OK, else gives up; frees everything; returns
 * `status` or what failed now: VARVE_DUPLICATE where two values have one key.
 */
varve_status vv_bundle_out_end(
    struct vv_bundle_out *out, varve_status status, varve_error *error);

#endif
