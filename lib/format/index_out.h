/* index_out.h - Collects the columns of a new index, and serializes the index.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_INDEX_OUT_H
#define VV_INDEX_OUT_H

#include <varve/error.h>

#include "buffer.h"
#include "data_out.h"
#include "index.h"

/* --- Columns under construction ------------------------------------------- */

/* Columns of an index under construction: by a save from the program's graph,
 * or by a draft from a file of another format.
 *
 * Failed allocations are recorded and reported by vv_index_columns_failed.
 * Callers can also fill the columns directly. */

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
        /* the same buffers as an array */
        struct vv_buffer each[VV_COLUMN_COUNT];
    };
    uint64_t total; /* offset of the end of the data */
};

void vv_index_columns_begin(
    struct vv_index_columns *columns, const varve_allocator *allocator);
void vv_index_columns_end(struct vv_index_columns *columns);

/* Adds a name. Names are numbered in the order in which they are added. */
void vv_index_add_name(
    struct vv_index_columns *columns, const void *bytes, size_t size);

/* Adds a node with the edges that were added since the previous node. */
void vv_index_add_node(struct vv_index_columns *columns, uint8_t kind);
void vv_index_add_edge(
    struct vv_index_columns *columns, uint32_t name, uint32_t child);

void vv_index_add_slot(struct vv_index_columns *columns, uint32_t owner,
    uint32_t variable, uint32_t name, uint32_t node);
void vv_index_add_tag(
    struct vv_index_columns *columns, uint32_t node, uint32_t name);
void vv_index_add_global(
    struct vv_index_columns *columns, uint32_t node, uint32_t name);

/* Adds a value. If it is saved, its offset follows the previous values. The
 * caller adds its digests. */
void vv_index_add_value(struct vv_index_columns *columns, uint32_t node,
    const varve_tensor *type, uint64_t size, bool is_saved);

/* Adds `count` values that vv_index_set_value fills in, in order. Returns false
 * if out of memory. */
bool vv_index_extend_values(struct vv_index_columns *columns, size_t count);

/* Fills in value number `value` of them. */
static inline void vv_index_set_value(struct vv_index_columns *columns,
    size_t value, uint32_t node, const varve_tensor *type, uint64_t size,
    bool is_saved)
{
    const uint64_t offset = is_saved ? vv_data_place(columns->total, size) : 0;
    if (is_saved)
        columns->total = offset + size;
    vv_store32(columns->value_nodes.data + 4 * value, node);
    columns->value_dtypes.data[value] = (uint8_t)type->dtype;
    columns->value_ranks.data[value] = (uint8_t)type->rank;
    for (uint32_t i = 0; i < type->rank; i++)
        vv_buffer_add64(&columns->value_extents, type->shape[i]);
    vv_store64(columns->value_offsets.data + 8 * value, offset);
    vv_store64(columns->value_sizes.data + 8 * value, size);
}

/* Adds the sorted pieces of a value. Values in pieces must be added in
 * order. */
void vv_index_add_pieces(struct vv_index_columns *columns, uint32_t value,
    uint32_t rank, const varve_box *boxes, uint32_t count);

/* Like vv_index_add_pieces, for boxes that the caller has already appended to
 * their column. */
void vv_index_end_pieces(
    struct vv_index_columns *columns, uint32_t value, uint32_t count);

/* Adds, after a value, the larger value of which it can be a part. Called for
 * all values or for none. */
void vv_index_add_part(struct vv_index_columns *columns,
    const varve_tensor *whole, const varve_box *box);

bool vv_index_columns_failed(const struct vv_index_columns *columns);

/* Returns an index that points into the columns, without counter and
 * metadata. */
struct vv_index vv_index_of_columns(const struct vv_index_columns *columns);

/* --- CBOR ----------------------------------------------------------------- */

/* Writes CBOR items in their deterministic form into a sink. The first failure
 * is kept in `status` and later calls do nothing, so callers need to check
 * `status` only at the end. */

typedef varve_status vv_cbor_sink(
    void *user, const void *bytes, size_t size, varve_error *error);

struct vv_cbor_out {
    vv_cbor_sink *sink;
    void *user;
    varve_error *error;
    varve_status status;
};

void vv_cbor_put_unsigned(struct vv_cbor_out *out, uint64_t value);
void vv_cbor_put_integer(struct vv_cbor_out *out, int64_t value);
void vv_cbor_put_boolean(struct vv_cbor_out *out, bool value);
void vv_cbor_put_bytes(struct vv_cbor_out *out, const void *bytes, size_t size);
void vv_cbor_put_text(struct vv_cbor_out *out, const char *text, size_t size);

/* Writes the head of a byte string of `size` bytes. The caller passes the bytes
 * to the sink. */
void vv_cbor_put_bytes_head(struct vv_cbor_out *out, uint64_t size);

/* Writes a tag, which applies to the next item. */
void vv_cbor_put_tag(struct vv_cbor_out *out, uint64_t number);

/* Writes the head of a map. The caller writes `count` pairs next. */
void vv_cbor_put_map(struct vv_cbor_out *out, size_t count);

/* --- The index ------------------------------------------------------------ */

/* Serializes an index. */

/* Receives the bytes of the index piece by piece. */
typedef varve_status vv_index_sink(
    void *user, const void *bytes, size_t size, varve_error *error);

/* Provides the bytes of columns that are not in memory. */
struct vv_column_source {
    /* to fill in */
    varve_status (*give)(void *user, uint64_t key, vv_index_sink *sink,
        void *sink_user, varve_error *error);
    void *user;
};

/* Returns the number of bytes that vv_index_write will write, or 0 if it would
 * fail. Reads only the lengths of columns. */
uint64_t vv_index_size(const struct vv_index *index);

/* Writes the index as deterministic CBOR. Omits empty optional columns, but no
 * required ones. Returns VARVE_LIMIT, VARVE_MISUSE if the metadata is not
 * sorted, or the status of the sink. */
varve_status vv_index_write(const struct vv_index *index, vv_index_sink *sink,
    void *user, varve_error *error);

#endif
