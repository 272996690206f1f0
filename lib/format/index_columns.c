/* index_columns.c - Appends to a buffer for each column.
 *
 * SPDX-License-Identifier: MIT
 */
#include "index_columns.h"

#include "layout.h"

_Static_assert(offsetof(struct vv_index_columns, global_names) ==
                   (VV_COLUMN_COUNT - 1) * sizeof(struct vv_buffer),
    "a buffer for each column of the table");

void vv_index_columns_begin(
    struct vv_index_columns *c, const varve_allocator *allocator)
{
    for (size_t i = 0; i < VV_COLUMN_COUNT; i++)
        vv_buffer_init(&c->each[i], allocator);
    c->total = VV_HEADER_SIZE;
}

void vv_index_columns_end(struct vv_index_columns *c)
{
    for (size_t i = 0; i < VV_COLUMN_COUNT; i++)
        vv_buffer_clear(&c->each[i]);
}

void vv_index_add_name(
    struct vv_index_columns *c, const void *bytes, size_t size)
{
    vv_buffer_add(&c->names, bytes, size);
    vv_buffer_add32(&c->name_ends, (uint32_t)c->names.size);
}

void vv_index_add_node(struct vv_index_columns *c, uint8_t kind)
{
    vv_buffer_add8(&c->node_kinds, kind);
    vv_buffer_add32(&c->node_edge_ends, (uint32_t)(c->edge_names.size / 4));
}

void vv_index_add_edge(
    struct vv_index_columns *c, uint32_t name, uint32_t child)
{
    vv_buffer_add32(&c->edge_names, name);
    vv_buffer_add32(&c->edge_children, child);
}

void vv_index_add_slot(struct vv_index_columns *c, uint32_t owner,
    uint32_t variable, uint32_t name, uint32_t node)
{
    vv_buffer_add32(&c->slot_owners, owner);
    vv_buffer_add32(&c->slot_variables, variable);
    vv_buffer_add32(&c->slot_names, name);
    vv_buffer_add32(&c->slot_nodes, node);
}

void vv_index_add_tag(struct vv_index_columns *c, uint32_t node, uint32_t name)
{
    vv_buffer_add32(&c->tag_nodes, node);
    vv_buffer_add32(&c->tag_names, name);
}

void vv_index_add_global(
    struct vv_index_columns *c, uint32_t node, uint32_t name)
{
    vv_buffer_add32(&c->global_nodes, node);
    vv_buffer_add32(&c->global_names, name);
}

void vv_index_add_value(struct vv_index_columns *c, uint32_t node,
    const varve_tensor *type, uint64_t size, bool is_saved)
{
    const size_t value = c->value_dtypes.size;
    if (vv_index_extend_values(c, 1))
        vv_index_set_value(c, value, node, type, size, is_saved);
}

bool vv_index_extend_values(struct vv_index_columns *c, size_t count)
{
    return vv_buffer_extend(&c->value_nodes, 4 * count) &&
           vv_buffer_extend(&c->value_dtypes, count) &&
           vv_buffer_extend(&c->value_ranks, count) &&
           vv_buffer_extend(&c->value_offsets, 8 * count) &&
           vv_buffer_extend(&c->value_sizes, 8 * count);
}

void vv_index_end_pieces(
    struct vv_index_columns *c, uint32_t value, uint32_t count)
{
    size_t before = c->piece_ends.size / 4;
    uint32_t begin = vv_begin32(c->piece_ends.data, before);
    vv_buffer_add32(&c->pieced_values, value);
    vv_buffer_add32(&c->piece_ends, begin + count);
}

void vv_index_add_pieces(struct vv_index_columns *c, uint32_t value,
    uint32_t rank, const varve_box *boxes, uint32_t count)
{
    vv_index_end_pieces(c, value, count);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < rank; k++)
            vv_buffer_add64(&c->piece_boxes, boxes[i].start[k]);
        for (uint32_t k = 0; k < rank; k++)
            vv_buffer_add64(&c->piece_boxes, boxes[i].extents[k]);
    }
}

void vv_index_add_part(
    struct vv_index_columns *c, const varve_tensor *whole, const varve_box *box)
{
    for (uint32_t i = 0; i < whole->rank; i++) {
        vv_buffer_add64(&c->whole_extents, whole->shape[i]);
        vv_buffer_add64(&c->part_starts, box->start[i]);
    }
}

bool vv_index_columns_failed(const struct vv_index_columns *c)
{
    for (size_t i = 0; i < VV_COLUMN_COUNT; i++) {
        if (c->each[i].failed)
            return true;
    }
    return false;
}

struct vv_index vv_index_of_columns(const struct vv_index_columns *c)
{
    struct vv_index index = { 0 };
    for (size_t i = 0; i < VV_COLUMN_COUNT; i++)
        vv_column_set(&vv_columns[i], &index, c->each[i].data,
            c->each[i].size / vv_columns[i].element);
    return index;
}
