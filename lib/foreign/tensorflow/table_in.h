/* table_in.h - Reads sorted tables in the format of LevelDB, which the index of
 * a TensorFlow checkpoint uses (leveldb's table_format.md; TensorFlow's
 * lib/io/table.h).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TABLE_IN_H
#define VV_TABLE_IN_H

#include <stdbool.h>
#include <stddef.h>
#include <varve/error.h>

#include "context.h"

/* --- Snappy --------------------------------------------------------------- */

/* Decompresses untrusted raw Snappy data, as in the blocks of a table
 * (github.com/google/snappy/blob/main/format_description.txt).
 *
 * It does not allocate memory or recurse. */

/* Sets *size to the uncompressed size, which is at the start of the data.
 * Returns false if it is malformed or larger than `packed_size` bytes can
 * decompress to. */
bool vv_snappy_size(
    const unsigned char *packed, size_t packed_size, size_t *size);

/* Decompresses the data to `plain`, which has room for the `size` bytes that
 * vv_snappy_size returned. Returns false if the data is malformed; then the
 * content of `plain` is undefined. */
bool vv_snappy_unpack(const unsigned char *packed, size_t packed_size,
    unsigned char *plain, size_t size);

/* --- Tables --------------------------------------------------------------- */

/* Returns true if a file with these last bytes is a table. */
bool vv_table_ends_in(const unsigned char *tail, size_t size);

/* Called for each entry in the order of the keys. Key and value are valid
 * during the call only. */
typedef varve_status vv_table_entry(void *user, const unsigned char *key,
    size_t key_size, const unsigned char *value, size_t value_size,
    varve_error *error);

/* A table in memory. */
struct vv_table_in {
    const struct vv_context *context;
    const char *path; /* used in error messages */
    const unsigned char *bytes;
    size_t size;
};

/* Calls `entry` for all entries of a table. Checks the footer, the CRC of each
 * block before it is parsed, and that keys increase.
 *
 * Returns VARVE_CORRUPT, VARVE_TRUNCATED, VARVE_TOO_NEW for a compression that
 * this build does not support, or the status of `entry`. Returns VARVE_LIMIT if
 * the keys together have more than about 16 times the size of the uncompressed
 * blocks: no table that TensorFlow writes shares so many prefixes.
 *
 * Uses memory for one decompressed block and one key. */
varve_status vv_table_each(const struct vv_table_in *table,
    vv_table_entry *entry, void *user, varve_error *error);

#endif
