/* index.c - Searches sorted columns, stores sums over values, and contains the
 * table of all columns.
 *
 * SPDX-License-Identifier: MIT
 */
#include "index.h"

#include <string.h>

#include "allocator.h"
#include "failure.h"
#include "layout.h"
#include "name.h"
#include "piece_table.h"

/* --- Columns -------------------------------------------------------------- */

struct bytes {
    const char *at;
    size_t size;
};

static int index_compare_bytes(const struct bytes *a, const struct bytes *b)
{
    int order = memcmp(a->at, b->at, a->size < b->size ? a->size : b->size);
    return order ? order : (a->size > b->size) - (a->size < b->size);
}

/* Finds a name in a sorted range. If `numbers` is not NULL, it contains the
 * numbers of the names; otherwise the range consists of these numbers. Returns
 * its position, or VV_NONE. */
static uint32_t find_among(const struct vv_index *index, const uint8_t *numbers,
    uint32_t low, uint32_t high, const struct bytes *name)
{
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        struct bytes other;
        other.at = vv_index_name(
            index, numbers ? vv_at32(numbers, middle) : middle, &other.size);
        int order = index_compare_bytes(&other, name);
        if (order == 0)
            return middle;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return VV_NONE;
}

uint32_t vv_index_find_name(
    const struct vv_index *index, const char *name, size_t size)
{
    return find_among(
        index, NULL, 0, index->name_count, &(struct bytes){ name, size });
}

/* Returns the first position in [low, high) of an increasing column whose value
 * is at least `value`, or `high`. */
static uint32_t index_lower_bound(
    const uint8_t *column, uint32_t low, uint32_t high, uint32_t value)
{
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (vv_at32(column, middle) < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Finds an edge of a list, whose names are the positions as text. */
static uint32_t find_position(
    const char *text, size_t size, uint32_t begin, uint32_t end)
{
    uint64_t position;
    if (!vv_parse_decimal(text, size, &position) || position >= end - begin)
        return VV_NONE;
    return begin + (uint32_t)position;
}

uint32_t vv_index_find_edge(
    const struct vv_index *index, uint32_t node, uint32_t name)
{
    uint32_t begin, end, edge;
    vv_index_edges(index, node, &begin, &end);
    if (vv_index_kind(index, node) == VARVE_LIST) {
        size_t size;
        const char *text = vv_index_name(index, name, &size);
        return find_position(text, size, begin, end);
    }
    edge = index_lower_bound(index->edge_names, begin, end, name);
    if (edge == end || vv_at32(index->edge_names, edge) != name)
        return VV_NONE;
    return edge;
}

uint32_t vv_index_find_edge_called(
    const struct vv_index *index, uint32_t node, const char *name, size_t size)
{
    uint32_t low, high;
    vv_index_edges(index, node, &low, &high);
    if (vv_index_kind(index, node) == VARVE_LIST)
        return find_position(name, size, low, high);
    return find_among(
        index, index->edge_names, low, high, &(struct bytes){ name, size });
}

uint32_t vv_index_find_child(
    const struct vv_index *index, uint32_t node, uint32_t name)
{
    uint32_t edge = vv_index_find_edge(index, node, name);
    return edge == VV_NONE ? VV_NONE : vv_at32(index->edge_children, edge);
}

uint32_t vv_index_find_value(const struct vv_index *index, uint32_t node)
{
    uint32_t count = index->value_count;
    uint32_t value = index_lower_bound(index->value_nodes, 0, count, node);
    if (value == count || vv_at32(index->value_nodes, value) != node)
        return VV_NONE;
    return value;
}

uint32_t vv_index_search_pieces(const struct vv_index *index, uint32_t value)
{
    uint32_t count = index->pieced_count;
    uint32_t row = index_lower_bound(index->pieced_values, 0, count, value);
    return row < count && vv_at32(index->pieced_values, row) == value ? row
                                                                      : VV_NONE;
}

uint32_t vv_index_find_global(const struct vv_index *index, uint32_t node)
{
    uint32_t count = index->global_count;
    uint32_t global = index_lower_bound(index->global_nodes, 0, count, node);
    if (global == count || vv_at32(index->global_nodes, global) != node)
        return VV_NONE;
    return vv_at32(index->global_names, global);
}

void vv_index_tags(
    const struct vv_index *index, uint32_t node, uint32_t *begin, uint32_t *end)
{
    uint32_t count = index->tag_count;
    *begin = index_lower_bound(index->tag_nodes, 0, count, node);
    *end = index_lower_bound(index->tag_nodes, *begin, count, node + 1);
}

bool vv_index_has_tag(
    const struct vv_index *index, uint32_t node, const char *tag)
{
    uint32_t begin, end;
    if (index->tag_count == 0)
        return false;
    uint32_t name = vv_index_find_name(index, tag, strlen(tag));
    vv_index_tags(index, node, &begin, &end);
    uint32_t at = index_lower_bound(index->tag_names, begin, end, name);
    return name != VV_NONE && at < end && vv_at32(index->tag_names, at) == name;
}

void vv_index_slots(const struct vv_index *index, uint32_t owner,
    uint32_t *begin, uint32_t *end)
{
    uint32_t count = index->slot_count;
    *begin = index_lower_bound(index->slot_owners, 0, count, owner);
    *end = index_lower_bound(index->slot_owners, *begin, count, owner + 1);
}

void vv_index_slots_for(const struct vv_index *index, uint32_t owner,
    uint32_t variable, uint32_t *begin, uint32_t *end)
{
    const uint8_t *variables = index->slot_variables;
    uint32_t first, behind;
    vv_index_slots(index, owner, &first, &behind);
    *begin = index_lower_bound(variables, first, behind, variable);
    *end = index_lower_bound(variables, *begin, behind, variable + 1);
}

uint32_t vv_index_find_slot(const struct vv_index *index, uint32_t owner,
    uint32_t variable, uint32_t name)
{
    uint32_t begin, end;
    vv_index_slots_for(index, owner, variable, &begin, &end);
    uint32_t slot = index_lower_bound(index->slot_names, begin, end, name);
    if (slot == end || vv_at32(index->slot_names, slot) != name)
        return VV_NONE;
    return vv_at32(index->slot_nodes, slot);
}

uint64_t vv_first_extent(const struct vv_index *index,
    const struct vv_value_table *table, uint32_t value)
{
    uint64_t sum = table->extents[value / VV_VALUE_STEP];
    for (uint32_t i = value - value % VV_VALUE_STEP; i < value; i++)
        sum += index->value_ranks[i];
    return sum;
}

uint64_t vv_add_up_digests(const struct vv_index *index,
    const struct vv_value_table *table, uint32_t value)
{
    uint64_t sum = table->digests[value / VV_VALUE_STEP];
    for (uint32_t i = value - value % VV_VALUE_STEP; i < value; i++)
        sum += vv_value_chunks(index, table, i);
    return sum;
}

bool vv_index_part(const struct vv_index *index,
    const struct vv_value_table *table, uint32_t value, varve_slice *part)
{
    uint32_t rank = index->value_ranks[value];
    if (index->whole_count == 0 || rank == 0)
        return false;
    size_t first = (size_t)vv_first_extent(index, table, value);
    const uint8_t *whole = index->whole_extents + 8 * first;
    if (memcmp(whole, index->value_extents + 8 * first, 8 * (size_t)rank) == 0)
        return false;
    if (!part)
        return true;
    *part = (varve_slice){ .shape.rank = rank };
    for (uint32_t i = 0; i < rank; i++) {
        part->shape.extents[i] = vv_at64(whole, i);
        part->start[i] = vv_at64(index->part_starts, first + i);
    }
    return true;
}

bool vv_index_has_shape(const struct vv_index *index,
    const struct vv_value_table *table, uint32_t value,
    const varve_tensor *tensor)
{
    if (vv_index_part(index, table, value, NULL))
        return false;
    uint64_t first = vv_first_extent(index, table, value);
    uint32_t i = 0;
    while (i < tensor->rank &&
           vv_at64(index->value_extents, (size_t)first + i) == tensor->shape[i])
        i++;
    return i == tensor->rank;
}

varve_tensor vv_index_tensor(const struct vv_index *index,
    const struct vv_value_table *table, uint32_t value)
{
    varve_tensor tensor = {
        .dtype = (varve_dtype)index->value_dtypes[value],
        .rank = index->value_ranks[value],
    };
    uint64_t first = tensor.rank ? vv_first_extent(index, table, value) : 0;
    for (uint32_t i = 0; i < tensor.rank; i++)
        tensor.shape[i] = vv_at64(index->value_extents, (size_t)first + i);
    return tensor;
}

int vv_metadata_compare(const void *a, const void *b)
{
    const char *name = ((const varve_metadata *)a)->name;
    const char *other = ((const varve_metadata *)b)->name;
    size_t size = strlen(name), other_size = strlen(other);
    if (size != other_size)
        return size < other_size ? -1 : 1;
    return memcmp(name, other, size);
}

/* --- Sums over values ----------------------------------------------------- */

/* Stores sums for every VV_VALUE_STEP-th value. */

static size_t entries_of(const struct vv_value_table *table)
{
    return table->count / VV_VALUE_STEP + 1;
}

varve_status vv_value_table_make(struct vv_value_table *table,
    const varve_allocator *allocator, const struct vv_index *index,
    varve_error *error)
{
    table->count = index->value_count;
    size_t entries = entries_of(table);
    table->extents =
        vv_allocate_array(allocator, 2 * entries, sizeof *table->extents);
    if (!table->extents)
        return vv_fail_memory(error, "table of values");
    table->digests = table->extents + entries;
    varve_status status =
        vv_piece_table_make(&table->pieces, allocator, index, error);
    if (status)
        vv_value_table_clear(table, allocator);
    return status;
}

static uint64_t value_table_add_chunks(
    struct vv_value_table *table, const struct vv_index *index, uint32_t value)
{
    if (vv_index_find_pieces(index, value) == VV_NONE)
        return vv_chunk_count(vv_at64(index->value_sizes, value));
    varve_tensor type = vv_index_tensor(index, table, value);
    return vv_piece_table_add(&table->pieces, index, &type);
}

void vv_value_table_fill(
    struct vv_value_table *table, const struct vv_index *index)
{
    const uint32_t count = index->value_count;
    const uint8_t *ranks = index->value_ranks, *sizes = index->value_sizes;
    const bool has_pieces = index->pieced_count > 0;
    uint64_t extents = 0, digests = 0;
    for (uint32_t step = 0; step <= count / VV_VALUE_STEP; step++) {
        const uint32_t first = step * VV_VALUE_STEP;
        const uint32_t end =
            count - first < VV_VALUE_STEP ? count : first + VV_VALUE_STEP;
        uint64_t others = (end - first) ^ VV_VALUE_STEP; /* 0: all have one */
        table->extents[step] = extents;
        table->digests[step] = digests;
        for (uint32_t i = first; i < end; i++) {
            const uint64_t chunks =
                has_pieces ? value_table_add_chunks(table, index, i)
                           : vv_chunk_count(vv_at64(sizes, i));
            digests += chunks;
            others |= chunks ^ 1;
            extents += ranks[i];
        }
        if (others == 0)
            table->digests[step] |= VV_ONE_DIGEST_EACH;
    }
}

void vv_value_table_copy(
    struct vv_value_table *table, const struct vv_value_table *from)
{
    memcpy(table->extents, from->extents,
        2 * entries_of(table) * sizeof *table->extents);
}

void vv_value_table_clear(
    struct vv_value_table *table, const varve_allocator *allocator)
{
    vv_release(allocator, table->extents,
        2 * entries_of(table) * sizeof *table->extents);
    vv_piece_table_clear(&table->pieces, allocator);
    table->extents = NULL;
}

/* --- The table of columns ------------------------------------------------- */

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
