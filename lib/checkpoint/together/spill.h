/* spill.h - Stores columns of an index that is merged in parts in a temporary
 * file, so that they need not fit in memory.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SPILL_H
#define VV_SPILL_H

#include "buffer.h"
#include "index_out.h"
#include "layout.h"
#include "temporary.h"

enum { VV_SPILL_KEYS = VV_KEY_PIECE_BOXES + 1 };

struct vv_spill {
    /* to read */
    uint64_t sizes[VV_SPILL_KEYS]; /* sizes of columns, in bytes, by key */
    /* own */
    const struct vv_context *context;
    const char *path; /* for messages */
    struct vv_temporary temporary;
    uint64_t end; /* end of the file */
    unsigned char *block;
    struct vv_buffer extents;
};

/* Creates the temporary file next to `name`. If `is_private` only its owner has
 * access. On failure nothing is left. */
varve_status vv_spill_begin(struct vv_spill *spill,
    const struct vv_context *context, int directory, const char *name,
    const char *path, bool is_private, varve_error *error);

/* Appends the contents of `column` to the column with this key in the file, and
 * empties it. */
varve_status vv_spill_add(struct vv_spill *spill, enum vv_index_key key,
    struct vv_buffer *column, varve_error *error);

/* The function of a vv_column_source for a spill file. Returns VARVE_CORRUPT if
 * the bytes that are read differ from those written. */
varve_status vv_spill_give(void *spill, uint64_t key, vv_index_sink *sink,
    void *sink_user, varve_error *error);

void vv_spill_end(struct vv_spill *spill);

#endif
