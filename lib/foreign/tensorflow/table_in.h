/* table_in.h - Reads sorted tables in the format of LevelDB, which the index of
 * a TensorFlow checkpoint uses (leveldb's table_format.md; TensorFlow's
 * lib/io/table.h).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TABLE_IN_H
#define VV_TABLE_IN_H

#include <varve/error.h>

#include "context.h"

enum { VV_TABLE_FOOTER_SIZE = 48 };

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
