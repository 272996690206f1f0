/* table_in.h - a sorted table in the format of LevelDB, as the index of a
 * TensorFlow checkpoint is one (leveldb's table_format.md; TensorFlow's
 * lib/io/table.h).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TABLE_IN_H
#define VV_TABLE_IN_H

#include <varve/error.h>

#include "context.h"

enum { VV_TABLE_FOOTER_SIZE = 48 };

/* Whether these are the last bytes of a table. */
bool vv_table_ends_in(const unsigned char *tail, size_t size);

/* Called for every entry in order of the keys. Both are borrowed for the
 * call. */
typedef varve_status vv_table_entry(void *user, const unsigned char *key,
    size_t key_size, const unsigned char *value, size_t value_size,
    varve_error *error);

/* A table in memory. */
struct vv_table_in {
    const struct vv_context *context;
    const char *path; /* for messages */
    const unsigned char *bytes;
    size_t size;
};

/* Goes through all entries: checks the footer, the sum of every block before it
 * looks into it, and that keys increase. VARVE_CORRUPT, VARVE_TRUNCATED,
 * VARVE_TOO_NEW for a block that was compressed in a way that this build does
 * not know, VARVE_LIMIT for keys that share more of their beginnings than those
 * of any table that TensorFlow wrote: together they are more than 16 times the
 * blocks, unpacked; or what `entry` says. Takes the memory of one block that
 * was compressed, and of one key. */
varve_status vv_table_each(const struct vv_table_in *table,
    vv_table_entry *entry, void *user, varve_error *error);

#endif
