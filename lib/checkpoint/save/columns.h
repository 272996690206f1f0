/* columns.h - a walk through the program's graph as the columns of an index.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_COLUMNS_H
#define VV_COLUMNS_H

#include <varve/error.h>

#include "index_columns.h"
#include "walk.h"

struct vv_columns {
    const varve_allocator *allocator;
    /* to read */
    struct vv_index_columns index;
    /* own */
    struct vv_buffer states; /* the bytes of all states */
    bool takes_parts;
    bool has_parts;
};

/* Fills all columns but that of digests, which come as the values are written.
 * Calls the save callbacks of states. Slices have the shapes of their wholes.
 */
varve_status vv_columns_begin(
    struct vv_columns *columns, struct vv_walk *walk, varve_error *error);

/* The same with slices that are saved as parts: in their own shapes, beside
 * which stands of what they are parts. */
varve_status vv_columns_begin_parts(
    struct vv_columns *columns, struct vv_walk *walk, varve_error *error);

void vv_columns_end(struct vv_columns *columns);

/* The index that the columns make up; points into them. */
varve_status vv_columns_index(const struct vv_columns *columns,
    struct vv_index *index, varve_error *error);

/* The bytes that the elements of a string tensor take in a file. */
uint64_t vv_strings_size(const varve_tensor *tensor);

#endif
