/* value_table.c - Stores sums for every VV_VALUE_STEP-th value.
 *
 * SPDX-License-Identifier: MIT
 */
#include "value_table.h"

#include <string.h>

#include "allocator.h"
#include "failure.h"
#include "piece_table.h"

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
