/* part.h - Finds the chunks of a value that overlap a box.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PART_H
#define VV_PART_H

#include "index_in.h"

/* A chunk of a value with elements of fixed size, as a range of elements of a
 * piece. */
struct vv_chunk_part {
    /* to fill in */
    uint64_t chunk; /* its number within the value */
    uint64_t begin; /* of its bytes, within the value */
    size_t size;
    varve_box box;  /* of the piece */
    uint64_t first; /* range of its elements, counted in the piece */
    uint64_t end;
};

void vv_part_of_chunk(const struct vv_parsed_index *parsed, uint32_t value,
    uint64_t chunk, struct vv_chunk_part *part);

/* Finds the first chunk, starting at number `chunk`, that has an element of the
 * box. Returns false if there is none. */
bool vv_part_from(const struct vv_parsed_index *parsed, uint32_t value,
    const varve_box *box, uint64_t chunk, struct vv_chunk_part *part);

#endif
