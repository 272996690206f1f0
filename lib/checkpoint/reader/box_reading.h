/* box_reading.h - Reads a box of a value, chunk by chunk.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_BOX_READING_H
#define VV_BOX_READING_H

#include "part.h"
#include "reader.h"

/* A box of a value with elements of fixed size, and its destination in memory,
 * which is row-major. */
struct vv_box_reading {
    /* to fill in */
    const varve_reader *reader;
    uint32_t node;
    uint32_t value;
    varve_box box;
    unsigned char *to;
    /* own */
    unsigned char *chunk; /* NULL: not needed yet */
    size_t chunk_size;
};

/* Reads and verifies a chunk, and copies its part of the box to the
 * destination. */
varve_status vv_box_read_part(struct vv_box_reading *reading,
    const struct vv_chunk_part *part, varve_error *error);

/* Does the same for all chunks that intersect the box. */
varve_status vv_box_read(struct vv_box_reading *reading, varve_error *error);

/* Frees the buffer. */
void vv_box_reading_clear(struct vv_box_reading *reading);

#endif
