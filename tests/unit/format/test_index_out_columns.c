/* test_index_out_columns.c - Tests building the columns of an index.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "index_out.h"
#include "layout.h"

static const varve_tensor matrix = { .dtype = VARVE_FLOAT32,
    .rank = 2,
    .shape = { 2, 3 } };

static const varve_box columns[] = {
    { .start = { 0, 0 }, .extents = { 2, 1 } },
    { .start = { 0, 1 }, .extents = { 2, 1 } },
    { .start = { 0, 2 }, .extents = { 2, 1 } },
};

/* Adds an object with a variable in pieces, a slot of it, and names. */
static void fill(struct vv_index_columns *c)
{
    vv_index_add_name(c, "m", 1);
    vv_index_add_name(c, "weight", 6);
    vv_index_add_edge(c, 1, 1);
    vv_index_add_node(c, VARVE_OBJECT);
    vv_index_add_node(c, VARVE_VARIABLE);
    vv_index_add_node(c, VARVE_VARIABLE);
    vv_index_add_slot(c, 0, 1, 0, 2);
    vv_index_add_tag(c, 1, 0);
    vv_index_add_global(c, 1, 1);
    vv_index_add_value(c, 1, &matrix, 24, true);
    vv_index_add_value(c, 2, &matrix, 0, false);
    vv_index_add_pieces(c, 0, 2, columns, 3);
}

TEST(index_columns, form_an_index)
{
    struct vv_index_columns c;
    size_t size;
    vv_index_columns_begin(&c, test_allocator());
    fill(&c);
    cr_assert_not(vv_index_columns_failed(&c));
    struct vv_index index = vv_index_of_columns(&c);
    cr_assert_eq(index.name_count, 2);
    cr_assert_eq(index.names_size, 7);
    cr_assert_eq(memcmp(vv_index_name(&index, 1, &size), "weight", 6), 0);
    cr_assert_eq(size, 6);
    cr_assert_eq(index.node_count, 3);
    cr_assert_eq(vv_index_kind(&index, 1), VARVE_VARIABLE);
    cr_assert_eq(vv_index_find_child(&index, 0, 1), 1);
    cr_assert_eq(vv_index_find_child(&index, 1, 1), VV_NONE);
    cr_assert_eq(vv_index_find_slot(&index, 0, 1, 0), 2);
    cr_assert(vv_index_has_tag(&index, 1, "m"));
    cr_assert_eq(vv_index_find_global(&index, 1), 1);
    cr_assert_eq(index.extent_count, 4);
    cr_assert_eq(index.pieced_count, 1);
    cr_assert_eq(vv_at32(index.pieced_values, 0), 0);
    cr_assert_eq(vv_at32(index.piece_ends, 0), 3);
    cr_assert_eq(index.box_number_count, 12);
    cr_assert_eq(vv_at64(index.piece_boxes, 9), 2, "start of the last");
    cr_assert_eq(vv_at64(index.piece_boxes, 10), 2, "rows of the last");
    vv_index_add_pieces(&c, 1, 2, columns, 2);
    index = vv_index_of_columns(&c);
    cr_assert_eq(vv_at32(index.piece_ends, 1), 5);
    vv_index_columns_end(&c);
}

TEST(index_columns, assign_offsets_to_saved_values)
{
    struct vv_index_columns c;
    vv_index_columns_begin(&c, test_allocator());
    vv_index_add_value(&c, 1, &matrix, 24, true);
    vv_index_add_value(&c, 2, &matrix, 0, false);
    vv_index_add_value(&c, 3, &matrix, 24, true);
    struct vv_index index = vv_index_of_columns(&c);
    cr_assert_eq(vv_at64(index.value_offsets, 0), VV_HEADER_SIZE);
    cr_assert_not(vv_index_is_saved(&index, 1));
    cr_assert_eq(vv_at64(index.value_offsets, 2), VV_HEADER_SIZE + 24);
    cr_assert_eq(c.total, VV_HEADER_SIZE + 48);
    vv_index_columns_end(&c);
}

TEST(index_columns, report_failed_allocations)
{
    /* All columns except those for digests, data files, compression, pages and
     * slices; those for boxes count twice. */
    const long used = VV_COLUMN_COUNT - 1 - 5 - 4 - 2 - 2 + 1;
    bool failed = true;
    for (long n = 0; failed; n++) {
        struct vv_index_columns c;
        vv_index_columns_begin(&c, test_allocator());
        test_fail_allocation(n, false);
        fill(&c);
        test_fail_allocation(-1, false);
        failed = vv_index_columns_failed(&c);
        vv_index_columns_end(&c);
        cr_assert_eq(test_block_count(), 0, "allocation %ld", n);
        cr_assert_eq(failed, n < used, "allocation %ld", n);
    }
}
