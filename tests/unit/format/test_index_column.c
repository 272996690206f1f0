/* test_index_column.c - Tests the table of index columns.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "index.h"
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

/* Each column has its own field, and parallel columns share their element
 * count. */
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

/* Indexes that differ only in values and their locations, or also in the
 * graph. */
TEST(column, indexes_are_compared_without_their_values)
{
    static const uint8_t ones[16] = { 1, 1, 1, 1, 1, 1, 1, 1 };
    static const uint8_t twos[16] = { 2, 1, 1, 1, 1, 1, 1, 1 };
    struct vv_index a = { 0 };
    for (size_t i = 0; i < VV_COLUMN_COUNT; i++)
        vv_column_set(&vv_columns[i], &a, ones, 1);
    for (size_t i = 0; i < VV_COLUMN_COUNT; i++) {
        uint64_t key = vv_columns[i].key;
        bool is_of_places =
            key >= VV_KEY_LAYER_NONCES && key <= VV_KEY_PAGE_DIGESTS;
        bool is_of_values = is_of_places || key == VV_KEY_VALUE_OFFSETS ||
                            key == VV_KEY_VALUE_SIZES || key == VV_KEY_DIGESTS;
        bool is_of_graph = !is_of_values && !(key >= VV_KEY_VALUE_NODES &&
                                                key <= VV_KEY_VALUE_EXTENTS) &&
                           key != VV_KEY_WHOLE_EXTENTS &&
                           key != VV_KEY_PART_STARTS;
        struct vv_index b = a;
        vv_column_set(&vv_columns[i], &b, twos, 1);
        cr_assert_eq(vv_index_has_same_graph(&a, &b), !is_of_graph, "%s",
            vv_columns[i].name);
        cr_assert_not(vv_index_has_same_values(&a, &b), "pieces and parts");
        struct vv_index whole = a, other = b;
        whole.pieced_count = other.pieced_count = 0;
        whole.whole_count = other.whole_count = 0;
        cr_assert_eq(vv_index_has_same_values(&whole, &other),
            key != VV_KEY_NODE_KINDS && !(key >= VV_KEY_VALUE_NODES &&
                                            key <= VV_KEY_VALUE_SIZES),
            "%s", vv_columns[i].name);
        cr_assert_eq(
            vv_index_is_alike(&a, &b), is_of_values, "%s", vv_columns[i].name);
        vv_column_set(&vv_columns[i], &b, ones, 0);
        if (!is_of_values)
            cr_assert_not(vv_index_is_alike(&a, &b), "%s", vv_columns[i].name);
    }
    static const uint8_t none[16];
    struct vv_index unsaved = a;
    unsaved.value_offsets = none;
    cr_assert_not(vv_index_is_alike(&a, &unsaved));
}
