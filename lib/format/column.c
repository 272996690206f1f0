/* column.c - The table of columns, and access to the members that it refers to.
 *
 * SPDX-License-Identifier: MIT
 */
#include "column.h"

#include "layout.h"

enum { PLAIN = 0, UINT8 = 64, UINT32 = 70, UINT64 = 71 }; /* RFC 8746 */

#define AT(field) offsetof(struct vv_index, field)

const struct vv_column vv_columns[VV_COLUMN_COUNT] = {
    { VV_KEY_NAMES, PLAIN, 1, AT(names), AT(names_size), true, true, "names" },
    { VV_KEY_NAME_ENDS, UINT32, 4, AT(name_ends), AT(name_count), false, true,
        "name ends" },
    { VV_KEY_NODE_KINDS, UINT8, 1, AT(node_kinds), AT(node_count), false, true,
        "node kinds" },
    { VV_KEY_NODE_EDGE_ENDS, UINT32, 4, AT(node_edge_ends), AT(node_count),
        false, false, "node edge ends" },
    { VV_KEY_EDGE_NAMES, UINT32, 4, AT(edge_names), AT(edge_count), false, true,
        "edge names" },
    { VV_KEY_EDGE_CHILDREN, UINT32, 4, AT(edge_children), AT(edge_count), false,
        false, "edge children" },
    { VV_KEY_VALUE_NODES, UINT32, 4, AT(value_nodes), AT(value_count), false,
        true, "value nodes" },
    { VV_KEY_VALUE_DTYPES, UINT8, 1, AT(value_dtypes), AT(value_count), false,
        false, "value types" },
    { VV_KEY_VALUE_RANKS, UINT8, 1, AT(value_ranks), AT(value_count), false,
        false, "value ranks" },
    { VV_KEY_VALUE_EXTENTS, UINT64, 8, AT(value_extents), AT(extent_count),
        true, true, "value extents" },
    { VV_KEY_VALUE_OFFSETS, UINT64, 8, AT(value_offsets), AT(value_count),
        false, false, "value offsets" },
    { VV_KEY_VALUE_SIZES, UINT64, 8, AT(value_sizes), AT(value_count), false,
        false, "value sizes" },
    { VV_KEY_DIGESTS, PLAIN, VV_DIGEST_SIZE, AT(digests), AT(digest_count),
        true, true, "digests" },
    { VV_KEY_SLOT_OWNERS, UINT32, 4, AT(slot_owners), AT(slot_count), false,
        true, "slot owners" },
    { VV_KEY_SLOT_VARIABLES, UINT32, 4, AT(slot_variables), AT(slot_count),
        false, false, "slot variables" },
    { VV_KEY_SLOT_NAMES, UINT32, 4, AT(slot_names), AT(slot_count), false,
        false, "slot names" },
    { VV_KEY_SLOT_NODES, UINT32, 4, AT(slot_nodes), AT(slot_count), false,
        false, "slot nodes" },
    { VV_KEY_LAYER_NONCES, PLAIN, VV_NONCE_SIZE, AT(layer_nonces),
        AT(layer_count), false, true, "nonces of layers" },
    { VV_KEY_LAYER_SIZES, UINT64, 8, AT(layer_sizes), AT(layer_count), false,
        false, "sizes of layers" },
    { VV_KEY_PLACE_BEGINS, UINT64, 8, AT(place_begins), AT(place_count), false,
        true, "places" },
    { VV_KEY_PLACE_LAYERS, UINT32, 4, AT(place_layers), AT(place_count), false,
        false, "layers of places" },
    { VV_KEY_PLACE_OFFSETS, UINT64, 8, AT(place_offsets), AT(place_count),
        false, false, "offsets of places" },
    { VV_KEY_PLACE_PACKED, UINT32, 4, AT(place_packed), AT(packed_count), false,
        true, "packed sizes of places" },
    { VV_KEY_PLACE_PLAIN, UINT32, 4, AT(place_plain), AT(packed_count), false,
        false, "plain sizes of places" },
    { VV_KEY_PLACE_SKIPS, UINT32, 4, AT(place_skips), AT(packed_count), false,
        false, "skips of places" },
    { VV_KEY_PLACE_PLANES, UINT8, 1, AT(place_planes), AT(packed_count), false,
        false, "planes of places" },
    { VV_KEY_PIECED_VALUES, UINT32, 4, AT(pieced_values), AT(pieced_count),
        false, true, "values in pieces" },
    { VV_KEY_PIECE_ENDS, UINT32, 4, AT(piece_ends), AT(pieced_count), false,
        false, "piece ends" },
    { VV_KEY_PIECE_BOXES, UINT64, 8, AT(piece_boxes), AT(box_number_count),
        true, true, "boxes" },
    { VV_KEY_PAGED_CHUNKS, UINT64, 8, AT(paged_chunks), AT(paged_count), true,
        true, "chunks summed by pages" },
    { VV_KEY_PAGE_DIGESTS, PLAIN, VV_DIGEST_SIZE, AT(page_digests),
        AT(page_digest_count), true, true, "digests of pages" },
    { VV_KEY_WHOLE_EXTENTS, UINT64, 8, AT(whole_extents), AT(whole_count), true,
        true, "extents of wholes" },
    { VV_KEY_PART_STARTS, UINT64, 8, AT(part_starts), AT(whole_count), true,
        false, "starts of parts" },
    { VV_KEY_TAG_NODES, UINT32, 4, AT(tag_nodes), AT(tag_count), false, true,
        "tag nodes" },
    { VV_KEY_TAG_NAMES, UINT32, 4, AT(tag_names), AT(tag_count), false, false,
        "tag names" },
    { VV_KEY_GLOBAL_NODES, UINT32, 4, AT(global_nodes), AT(global_count), false,
        true, "nodes of global names" },
    { VV_KEY_GLOBAL_NAMES, UINT32, 4, AT(global_names), AT(global_count), false,
        false, "global names" },
};

const struct vv_column *vv_column_find(uint64_t key)
{
    for (size_t i = 0; i < VV_COLUMN_COUNT; i++) {
        if (vv_columns[i].key == key)
            return &vv_columns[i];
    }
    return NULL;
}

const uint8_t *vv_column_bytes(
    const struct vv_column *column, const struct vv_index *index)
{
    const uint8_t *bytes;
    memcpy(&bytes, (const char *)index + column->bytes, sizeof bytes);
    return bytes;
}

uint64_t vv_column_count(
    const struct vv_column *column, const struct vv_index *index)
{
    const char *at = (const char *)index + column->count;
    uint32_t narrow;
    uint64_t wide;
    memcpy(&narrow, at, sizeof narrow);
    if (!column->is_wide)
        return narrow;
    memcpy(&wide, at, sizeof wide);
    return wide;
}

void vv_column_set(const struct vv_column *column, struct vv_index *index,
    const uint8_t *bytes, uint64_t count)
{
    char *at = (char *)index + column->count;
    uint32_t narrow = (uint32_t)count;
    memcpy((char *)index + column->bytes, &bytes, sizeof bytes);
    if (column->is_wide)
        memcpy(at, &count, sizeof count);
    else
        memcpy(at, &narrow, sizeof narrow);
}

/* --- Two indices -------------------------------------------------------- */

static bool is_of_places(size_t column)
{
    return vv_columns[column].key == VV_KEY_VALUE_OFFSETS ||
           vv_columns[column].key == VV_KEY_VALUE_SIZES ||
           vv_columns[column].key == VV_KEY_DIGESTS ||
           (column >= VV_REQUIRED_COLUMN_COUNT &&
               column < VV_FIRST_PART_COLUMN);
}

static bool are_same(const struct vv_column *column, const struct vv_index *a,
    const struct vv_index *b)
{
    uint64_t count = vv_column_count(column, a);
    return count == vv_column_count(column, b) &&
           (count == 0 ||
               memcmp(vv_column_bytes(column, a), vv_column_bytes(column, b),
                   (size_t)count * column->element) == 0);
}

bool vv_index_is_alike(const struct vv_index *a, const struct vv_index *b)
{
    for (size_t i = 0; i < VV_COLUMN_COUNT; i++) {
        if (!is_of_places(i) && !are_same(&vv_columns[i], a, b))
            return false;
    }
    for (uint32_t v = 0; v < a->value_count; v++) {
        if (vv_index_is_saved(a, v) != vv_index_is_saved(b, v))
            return false;
    }
    return true;
}

static bool column_is_of_graph(size_t column)
{
    return column <= VV_KEY_EDGE_CHILDREN || column >= VV_FIRST_TAG_COLUMN ||
           (column >= VV_KEY_SLOT_OWNERS && column <= VV_KEY_SLOT_NODES);
}

bool vv_index_has_same_graph(const struct vv_index *a, const struct vv_index *b)
{
    for (size_t i = 0; i < VV_COLUMN_COUNT; i++) {
        if (column_is_of_graph(i) && !are_same(&vv_columns[i], a, b))
            return false;
    }
    return true;
}

bool vv_index_has_same_values(
    const struct vv_index *a, const struct vv_index *b)
{
    if (a->pieced_count || b->pieced_count || a->whole_count || b->whole_count)
        return false;
    for (size_t i = VV_KEY_VALUE_NODES; i <= VV_KEY_VALUE_SIZES; i++) {
        if (!are_same(&vv_columns[i], a, b))
            return false;
    }
    return are_same(&vv_columns[VV_KEY_NODE_KINDS], a, b);
}
