/* columns.h - a walk through the program's graph as the columns of an index.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_COLUMNS_H
#define VV_COLUMNS_H

#include <varve/error.h>

#include "buffer.h"
#include "index.h"
#include "walk.h"

enum { VV_COLUMN_BUFFERS = 22 };

struct vv_columns {
    const varve_allocator *allocator;
    union {
        struct {
            struct vv_buffer names, name_ends, node_kinds, node_edge_ends,
                edge_names, edge_children, value_nodes, value_dtypes,
                value_ranks, value_extents, value_offsets, value_sizes, digests,
                slot_owners, slot_variables, slot_names, slot_nodes, tag_nodes,
                tag_names, global_nodes, global_names;
            struct vv_buffer states; /* the bytes of all states */
        };
        struct vv_buffer buffers[VV_COLUMN_BUFFERS]; /* the same, as one */
    };
    uint64_t total; /* where the data will end */
};

/* Fills all columns but that of digests, which come as the values are written.
 * Calls the save callbacks of states. */
varve_status vv_columns_begin(
    struct vv_columns *columns, struct vv_walk *walk, varve_error *error);
void vv_columns_end(struct vv_columns *columns);

/* The index that the columns make up; points into them. */
varve_status vv_columns_index(const struct vv_columns *columns,
    struct vv_index *index, varve_error *error);

/* The bytes that the elements of a string tensor take in a file. */
uint64_t vv_strings_size(const varve_tensor *tensor);

#endif
