/* box_reading.h - a part of a value, chunk by chunk.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_BOX_READING_H
#define VV_BOX_READING_H

#include "part.h"
#include "reader.h"

/* A box of a value with elements of one size, in memory: row-major. */
struct vv_box_reading {
    /* to fill in */
    const varve_reader *reader;
    uint32_t node;
    uint32_t value;
    varve_box box;
    unsigned char *to;
    /* own */
    unsigned char *chunk; /* NULL: none was needed yet */
    size_t chunk_size;
};

/* Reads and checks a chunk, and puts what the box has of it in place. */
varve_status vv_box_read_part(struct vv_box_reading *reading,
    const struct vv_chunk_part *part, varve_error *error);

/* The same of all that the box meets. */
varve_status vv_box_read(struct vv_box_reading *reading, varve_error *error);

/* Frees what was taken on the way. */
void vv_box_reading_clear(struct vv_box_reading *reading);

#endif
