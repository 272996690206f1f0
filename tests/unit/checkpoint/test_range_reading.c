/* test_range_reading.c - Tests reading ranges of a value.
 *
 * SPDX-License-Identifier: MIT
 */
#include "range_reading.h"

#include "worlds.h"

enum { COUNT = 700000 };

TEST(range_reading, reads_any_range)
{
    varve_error error = { 0 };
    begin_world();
    uint32_t *values = malloc(COUNT * sizeof *values);
    unsigned char *bytes = malloc(COUNT * sizeof *values);
    for (uint32_t i = 0; i < COUNT; i++)
        values[i] = i * 2654435761u;
    varve_node *root = new_root();
    varve_add_variable(root, "a", varve_array(values, COUNT));
    varve_add_variable(root, "b", varve_array(COPY_N(values, 3), 3));
    write_root(root);
    free_root(root);
    varve_reader *reader = open_world(FILE_NAME);
    struct vv_range_reading r;
    vv_range_reading_init(&r, reader);
    uint64_t size = COUNT * sizeof *values, at = 0;
    for (uint64_t step = 1; at < size; at += step, step = step * 5 + 3) {
        size_t part = (size_t)(size - at < step ? size - at : step);
        cr_assert_ok(vv_range_read(&r, 0, at, bytes + at, part, &error), error);
    }
    cr_assert_arr_eq(bytes, values, size);
    cr_assert_ok(vv_range_read(&r, 1, 4, bytes, 8, &error), error);
    cr_assert_arr_eq(bytes, values + 1, 8);
    cr_assert_ok(vv_range_read(&r, 0, 0, bytes, (size_t)size, &error), error);
    cr_assert_arr_eq(bytes, values, size);
    cr_assert_ok(vv_range_read(&r, 0, 0, bytes, 0, &error), error);
    vv_range_reading_clear(&r);
    varve_reader_free(reader);
    free(values);
    free(bytes);
    end_world();
}
