/* columns.h - Converts a walk of the program's graph to the columns of an
 * index.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_COLUMNS_H
#define VV_COLUMNS_H

#include <varve/error.h>

#include "index_out.h"
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

/* Fills in all columns except the digests, which are added as the values are
 * written. Calls the save callbacks of states. Slices get the shapes of the
 * values that they are parts of. */
varve_status vv_columns_begin(
    struct vv_columns *columns, struct vv_walk *walk, varve_error *error);

/* As vv_columns_begin, but slices are saved as parts: they get their own
 * shapes, and additional columns have the shapes and positions in the whole. */
varve_status vv_columns_begin_parts(
    struct vv_columns *columns, struct vv_walk *walk, varve_error *error);

void vv_columns_end(struct vv_columns *columns);

/* Sets `index` to an index that points into the columns. */
varve_status vv_columns_index(const struct vv_columns *columns,
    struct vv_index *index, varve_error *error);

/* Returns the size in a file of the elements of a string tensor, in bytes. */
uint64_t vv_strings_size(const varve_tensor *tensor);

#endif
