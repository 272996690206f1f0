/* value_table.c - Stores sums for every VV_VALUE_STEP-th value.
 *
 * SPDX-License-Identifier: MIT
 */
#include "value_table.h"

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
    uint64_t extents = 0, digests = 0, singles = 0;
    for (uint32_t i = 0; i <= index->value_count; i++) {
        if (singles == VV_VALUE_STEP)
            table->digests[i / VV_VALUE_STEP - 1] |= VV_ONE_DIGEST_EACH;
        if (i % VV_VALUE_STEP == 0) {
            table->extents[i / VV_VALUE_STEP] = extents;
            table->digests[i / VV_VALUE_STEP] = digests;
            singles = 0;
        }
        if (i == index->value_count)
            break;
        const uint64_t chunks = value_table_add_chunks(table, index, i);
        digests += chunks;
        singles += chunks == 1;
        extents += index->value_ranks[i];
    }
}

void vv_value_table_clear(
    struct vv_value_table *table, const varve_allocator *allocator)
{
    vv_release(allocator, table->extents,
        2 * entries_of(table) * sizeof *table->extents);
    vv_piece_table_clear(&table->pieces, allocator);
    table->extents = NULL;
}
