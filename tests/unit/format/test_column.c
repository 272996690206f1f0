/* test_column.c - lib/format/column.c
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "column.h"
#include "layout.h"

TEST(column, table_is_in_order_of_key)
{
    for (size_t i = 0; i < VV_COLUMN_COUNT; i++) {
        if (i < VV_FIRST_TAG_COLUMN)
            cr_assert_eq(vv_columns[i].key, i);
        else
            cr_assert_geq(vv_columns[i].key, VV_FIRST_OPTIONAL_KEY);
        if (i > 0)
            cr_assert_lt(vv_columns[i - 1].key, vv_columns[i].key);
        cr_assert_eq(vv_column_find(vv_columns[i].key), &vv_columns[i]);
    }
    cr_assert_null(vv_column_find(VV_KEY_COUNTER));
    cr_assert_null(vv_column_find(VV_FIRST_TAG_COLUMN));
}

/* Each column has a field of its own, and columns that run side by side share
 * their number. */
TEST(column, keeps_bytes_and_number_in_the_index)
{
    struct vv_index index = { 0 };
    static const uint8_t bytes[VV_COLUMN_COUNT];
    for (size_t i = 0; i < VV_COLUMN_COUNT; i++)
        vv_column_set(&vv_columns[i], &index, bytes + i,
            100 + vv_columns[i].count);
    for (size_t i = 0; i < VV_COLUMN_COUNT; i++) {
        cr_assert_eq(vv_column_bytes(&vv_columns[i], &index), bytes + i);
        cr_assert_eq(
            vv_column_count(&vv_columns[i], &index), 100 + vv_columns[i].count);
    }
    cr_assert_eq(index.slot_variables, bytes + VV_KEY_SLOT_VARIABLES);
    cr_assert_eq(index.edge_count,
        vv_column_count(&vv_columns[VV_KEY_EDGE_CHILDREN], &index));
    cr_assert_eq(index.value_count,
        vv_column_count(&vv_columns[VV_KEY_VALUE_SIZES], &index));
    vv_column_set(
        &vv_columns[VV_KEY_NAMES], &index, bytes, UINT64_C(1) << 40);
    cr_assert_eq(index.names_size, UINT64_C(1) << 40);
}
