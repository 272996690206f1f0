/* index_columns.h - the columns of an index while they are filled: by a save
 * from the program's graph, by a draft from a file of another format.
 *
 * What there is no memory for is missed at the end, by
 * vv_index_columns_failed. The columns may also be filled directly.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_INDEX_COLUMNS_H
#define VV_INDEX_COLUMNS_H

#include "buffer.h"
#include "column.h"

struct vv_index_columns {
    /* to fill in */
    union {
        struct { /* in the order of vv_columns */
            struct vv_buffer names, name_ends, node_kinds, node_edge_ends,
                edge_names, edge_children, value_nodes, value_dtypes,
                value_ranks, value_extents, value_offsets, value_sizes, digests,
                slot_owners, slot_variables, slot_names, slot_nodes,
                layer_nonces, layer_sizes, place_begins, place_layers,
                place_offsets, place_packed, place_plain, place_skips,
                place_planes, pieced_values, piece_ends, piece_boxes,
                paged_chunks, page_digests, whole_extents, part_starts,
                tag_nodes, tag_names, global_nodes, global_names;
        };
        struct vv_buffer each[VV_COLUMN_COUNT]; /* the same, as one */
    };
    uint64_t total; /* where the data will end */
};

void vv_index_columns_begin(
    struct vv_index_columns *columns, const varve_allocator *allocator);
void vv_index_columns_end(struct vv_index_columns *columns);

/* The next name; its number is how many came before. */
void vv_index_add_name(
    struct vv_index_columns *columns, const void *bytes, size_t size);

/* The next node, whose edges were added since the one before. */
void vv_index_add_node(struct vv_index_columns *columns, uint8_t kind);
void vv_index_add_edge(
    struct vv_index_columns *columns, uint32_t name, uint32_t child);

void vv_index_add_slot(struct vv_index_columns *columns, uint32_t owner,
    uint32_t variable, uint32_t name, uint32_t node);
void vv_index_add_tag(
    struct vv_index_columns *columns, uint32_t node, uint32_t name);
void vv_index_add_global(
    struct vv_index_columns *columns, uint32_t node, uint32_t name);

/* The next value; one that is saved gets its place behind those before. Its
 * digests are added by the caller. */
void vv_index_add_value(struct vv_index_columns *columns, uint32_t node,
    const varve_tensor *type, uint64_t size, bool is_saved);

/* The pieces of a value that was added, behind the values whose pieces were;
 * sorted. */
void vv_index_add_pieces(struct vv_index_columns *columns, uint32_t value,
    uint32_t rank, const varve_box *boxes, uint32_t count);

/* The same of so many whose boxes stand at the end of their column already. */
void vv_index_end_pieces(
    struct vv_index_columns *columns, uint32_t value, uint32_t count);

/* Behind a value that may be a part: of what. Of all values, or of none. */
void vv_index_add_part(struct vv_index_columns *columns,
    const varve_tensor *whole, const varve_box *box);

bool vv_index_columns_failed(const struct vv_index_columns *columns);

/* The index that the columns make up, without counter and metadata; points into
 * them. */
struct vv_index vv_index_of_columns(const struct vv_index_columns *columns);

#endif
