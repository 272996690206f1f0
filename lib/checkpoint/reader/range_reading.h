/* range_reading.h - Reads parts of a value from a Varve file, and verifies each
 * chunk that it reads.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_RANGE_READING_H
#define VV_RANGE_READING_H

#include "part.h"
#include "reader.h"

/* --- Boxes ---------------------------------------------------------------- */

/* Reads a box of a value, chunk by chunk. */

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

/* --- Ranges --------------------------------------------------------------- */

/* A value, and the part of it that is in memory. */
struct vv_range_reading {
    /* own */
    const varve_reader *reader;
    uint32_t node;
    uint32_t value; /* VV_NONE: none yet */
    bool is_pieced;
    varve_tensor type;
    uint32_t dimension; /* for a value in pieces: the outermost dimension of
                           which one step fits into a window */
    uint64_t step;      /* bytes of a step */
    uint64_t steps;
    unsigned char *window;
    size_t room;
    uint64_t begin, end; /* the range of the value that is in the window */
};

/* Initializes without a value. The reader must outlive it. */
void vv_range_reading_init(
    struct vv_range_reading *reading, const varve_reader *reader);
void vv_range_reading_clear(struct vv_range_reading *reading);

/* Reads `size` bytes of a saved value from `at` on. The range must be inside
 * the value. Returns VARVE_CORRUPT, VARVE_IO or VARVE_NO_MEMORY on failure. */
varve_status vv_range_read(struct vv_range_reading *reading, uint32_t value,
    uint64_t at, void *bytes, size_t size, varve_error *error);

#endif
