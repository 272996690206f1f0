/* spill.h - columns of an index that is merged in parts: what is ready of them
 * waits in a temporary file, so that nobody holds all of it.
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
    uint64_t sizes[VV_SPILL_KEYS]; /* of columns, in bytes, by key */
    /* own */
    const struct vv_context *context;
    const char *path; /* for messages */
    struct vv_temporary temporary;
    uint64_t end; /* of the file */
    unsigned char *block;
    struct vv_buffer extents;
};

/* Makes the file beside `name`, for its owner alone where it is private. On
 * failure nothing is left. */
varve_status vv_spill_begin(struct vv_spill *spill,
    const struct vv_context *context, int directory, const char *name,
    const char *path, bool is_private, varve_error *error);

/* Moves what a column has by now behind what it had before. */
varve_status vv_spill_add(struct vv_spill *spill, enum vv_index_key key,
    struct vv_buffer *column, varve_error *error);

/* As a vv_column_source, of a spill. VARVE_CORRUPT where other bytes are read
 * than were written. */
varve_status vv_spill_give(void *spill, uint64_t key, vv_index_sink *sink,
    void *sink_user, varve_error *error);

void vv_spill_end(struct vv_spill *spill);

#endif
