/* value_table.h - sums over values, so that their extents and digests are found
 * without a walk through all of them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_VALUE_TABLE_H
#define VV_VALUE_TABLE_H

#include <varve/allocator.h>
#include <varve/error.h>

#include "index.h"

/* A table with room for the values of an index, to be filled. Of this only the
 * lengths of columns are looked at. */
varve_status vv_value_table_make(struct vv_value_table *table,
    const varve_allocator *allocator, const struct vv_index *index,
    varve_error *error);

/* Fills one from an index that breaks no rule. */
void vv_value_table_fill(
    struct vv_value_table *table, const struct vv_index *index);

/* Takes zeroed ones. */
void vv_value_table_clear(
    struct vv_value_table *table, const varve_allocator *allocator);

#endif
