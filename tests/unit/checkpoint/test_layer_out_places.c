/* test_layer_out_places.c - Tests the extents of new data.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "layer_out.h"

static struct vv_index_columns columns;
static struct vv_place_out out;


static void begin(bool is_inside)
{
    vv_index_columns_begin(&columns, test_allocator());
    vv_place_out_begin(&out, &columns, is_inside);
}

static void add(uint32_t layer, uint64_t offset, uint64_t size)
{
    const struct vv_layer_place place = { .layer = layer, .offset = offset };
    vv_place_out_add(&out, &place, size);
}

static void add_frame(
    uint64_t offset, uint32_t packed, uint32_t skip, uint64_t size)
{
    const struct vv_layer_place place = { .offset = offset,
        .pack = { .size = packed, .plain = 8192, .planes = 4 },
        .skip = skip };
    vv_place_out_add(&out, &place, size);
}

static size_t count(void)
{
    return columns.place_begins.size / 8;
}

TEST(place_out, joins_contiguous_ranges)
{
    begin(false);
    add(0, 100, 50);
    add(0, 150, 14);
    cr_assert_eq(count(), 1);
    add(VV_NONE, 0, 8);
    add(VV_NONE, 0, 8);
    cr_assert_eq(count(), 2);
    add(0, 180, 4);
    add(1, 184, 4);
    add(0, 188, 4);
    cr_assert_eq(count(), 5);
    cr_assert_eq(vv_at64(columns.place_begins.data, 4), 64 + 50 + 14 + 24);
    cr_assert_eq(out.written, 64 + 50 + 14 + 28);
    cr_assert_eq(columns.place_packed.size, 0, "nothing is packed");
    vv_index_columns_end(&columns);
}

TEST(place_out, marks_all_ranges_once_one_is_compressed)
{
    begin(false);
    add(0, 100, 4096);
    add_frame(5000, 900, 0, 4096);
    add_frame(5000, 900, 4096, 4096);
    add_frame(5900, 900, 0, 8192);
    add(0, 6800, 64);
    cr_assert_eq(count(), 4);
    cr_assert_eq(columns.place_packed.size, 4 * 4);
    cr_assert_eq(columns.place_planes.size, 4);
    cr_assert_eq(vv_at32(columns.place_packed.data, 0), 0);
    cr_assert_eq(vv_at32(columns.place_packed.data, 1), 900);
    cr_assert_eq(vv_at32(columns.place_skips.data, 1), 0);
    cr_assert_eq(columns.place_planes.data[2], 4);
    cr_assert_eq(vv_at32(columns.place_plain.data, 3), 0);
    vv_index_columns_end(&columns);
}

/* These columns identify data stored in the file itself. */
TEST(place_out, marks_all_ranges_of_an_inline_data_file)
{
    begin(true);
    add(0, 64, 64);
    cr_assert_eq(columns.place_packed.size, 4);
    vv_index_columns_end(&columns);
}
