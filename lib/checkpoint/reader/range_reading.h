/* range_reading.h - a range of the bytes of a value, as they lie in a file of
 * ours, each chunk of it verified. Ranges that follow each other cost one
 * reading of the value, also of one in pieces.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_RANGE_READING_H
#define VV_RANGE_READING_H

#include "reader.h"

/* A value, and the part of it that is in memory. */
struct vv_range_reading {
    /* own */
    const varve_reader *reader;
    uint32_t node;
    uint32_t value; /* VV_NONE: none yet */
    bool is_pieced;
    varve_tensor type;
    uint32_t dimension; /* of one in pieces: the outermost of which one step
                           fits, */
    uint64_t step;      /* so many bytes; and how many steps: */
    uint64_t steps;
    unsigned char *window;
    size_t room;
    uint64_t begin, end; /* which bytes of the value are there */
};

/* Begins with no value. The reader outlives it. */
void vv_range_reading_init(
    struct vv_range_reading *reading, const varve_reader *reader);
void vv_range_reading_clear(struct vv_range_reading *reading);

/* Reads `size` bytes of a saved value from `at` on; the range is inside the
 * value. Fails with VARVE_CORRUPT, VARVE_IO or VARVE_NO_MEMORY. */
varve_status vv_range_read(struct vv_range_reading *reading, uint32_t value,
    uint64_t at, void *bytes, size_t size, varve_error *error);

#endif
