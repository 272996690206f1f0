/* index.c - Searches sorted columns with binary search, and stores sums over
 * values.
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
