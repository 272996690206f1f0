/* part.h - the chunks of a value that have something of a box.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PART_H
#define VV_PART_H

#include "index_in.h"

/* A chunk of a value of elements of one size, as what it is: some elements of a
 * piece. */
struct vv_chunk_part {
    /* to fill in */
    uint64_t chunk; /* its number within the value */
    uint64_t begin; /* of its bytes, within the value */
    size_t size;
    varve_box box;  /* of the piece */
    uint64_t first; /* its elements, counted from the start of that */
    uint64_t end;
};

void vv_part_of_chunk(const struct vv_parsed_index *parsed, uint32_t value,
    uint64_t chunk, struct vv_chunk_part *part);

/* The first chunk from number `chunk` on that has an element of the box; false
 * if there is none. */
bool vv_part_from(const struct vv_parsed_index *parsed, uint32_t value,
    const varve_box *box, uint64_t chunk, struct vv_chunk_part *part);

#endif
