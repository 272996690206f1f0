/* index_out.h - Serializes an index.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_INDEX_OUT_H
#define VV_INDEX_OUT_H

#include <varve/error.h>

#include "index.h"

/* Receives the bytes of the index piece by piece. */
typedef varve_status vv_index_sink(
    void *user, const void *bytes, size_t size, varve_error *error);

/* Provides the bytes of columns that are not in memory. */
struct vv_column_source {
    /* to fill in */
    varve_status (*give)(void *user, uint64_t key, vv_index_sink *sink,
        void *sink_user, varve_error *error);
    void *user;
};

/* Returns the number of bytes that vv_index_write will write, or 0 if it would
 * fail. Reads only the lengths of columns. */
uint64_t vv_index_size(const struct vv_index *index);

/* Writes the index as deterministic CBOR. Omits empty optional columns, but no
 * required ones. Returns VARVE_LIMIT, VARVE_MISUSE if the metadata is not
 * sorted, or the status of the sink. */
varve_status vv_index_write(const struct vv_index *index, vv_index_sink *sink,
    void *user, varve_error *error);

#endif
