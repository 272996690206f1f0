/* index_out.h - an index as bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_INDEX_OUT_H
#define VV_INDEX_OUT_H

#include <varve/error.h>

#include "index.h"

/* Takes the bytes of the index piece by piece. */
typedef varve_status vv_index_sink(
    void *user, const void *bytes, size_t size, varve_error *error);

/* Who gives the bytes of a column, one part behind the other. */
struct vv_column_source {
    /* to fill in */
    varve_status (*give)(void *user, uint64_t key, vv_index_sink *sink,
        void *sink_user, varve_error *error);
    void *user;
};

/* How many bytes vv_index_write will give; 0 where it would fail. Looks at the
 * lengths of columns only, not into them. */
uint64_t vv_index_size(const struct vv_index *index);

/* Gives the deterministic CBOR of an index, in order. Keys of empty optional
 * columns are left out; required ones are always there. VARVE_LIMIT,
 * VARVE_MISUSE for metadata that is not sorted, or what the sink says. */
varve_status vv_index_write(const struct vv_index *index, vv_index_sink *sink,
    void *user, varve_error *error);

#endif
