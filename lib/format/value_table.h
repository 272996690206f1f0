/* value_table.h - Sums over values, so that the extents and digests of a value
 * are found without a walk through all values before it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_VALUE_TABLE_H
#define VV_VALUE_TABLE_H

#include <varve/allocator.h>
#include <varve/error.h>

#include "index.h"

/* Makes an empty table with room for the values of an index. Reads only the
 * lengths of columns. */
varve_status vv_value_table_make(struct vv_value_table *table,
    const varve_allocator *allocator, const struct vv_index *index,
    varve_error *error);

/* Fills a table from an index that was checked. */
void vv_value_table_fill(
    struct vv_value_table *table, const struct vv_index *index);

/* Fills a table from that of an index whose values have the same ranks and
 * sizes, and are all in one piece. */
void vv_value_table_copy(
    struct vv_value_table *table, const struct vv_value_table *from);

/* Frees the table; it can be zeroed. */
void vv_value_table_clear(
    struct vv_value_table *table, const varve_allocator *allocator);

#endif
