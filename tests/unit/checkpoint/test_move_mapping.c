/* test_move_mapping.c - Tests mappings of a file's pages.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

#include "data_in.h"
#include "move.h"
#include "support/faulty_system.h"
#include "variable.h"

#include <errno.h>

enum { COUNT = 20000 };

static float values[COUNT];

static void write_large(void)
{
    for (int i = 0; i < COUNT; i++)
        values[i] = (float)i;
    varve_node *root = new_root();
    varve_add_variable(root, "x", varve_array(values, COUNT));
    write_root(root);
    free_root(root);
}

static int file_of(const struct vv_opened *opened)
{
    int file = -1;
    uint64_t offset;
    cr_assert(vv_opened_locate(opened, 0, &file, &offset));
    return file;
}

TEST(mapping, is_a_private_copy_of_the_files_pages)
{
    struct vv_opened file;
    varve_error error = { 0 };
    void *owner, *data;
    begin_world();
    write_large();
    cr_assert_ok(
        vv_data_in_open(&file, &world.context, FILE_NAME, &error), error);
    struct vv_range range = { FILE_NAME, file_of(&file), 4096, 8192 };
    cr_assert_ok(vv_mapping_new(&world.context, &range, &owner, &data,
                     &error), error);
    vv_opened_close(&file);
    cr_assert_eq(((float *)data)[1], 1);
    ((float *)data)[1] = 5;
    vv_mapping_free(owner, data);
    vv_mapping_free(NULL, NULL);
    end_world();
}

TEST(mapping, may_begin_at_any_offset_in_a_page)
{
    struct vv_opened file;
    varve_error error = { 0 };
    void *owner, *data;
    begin_world();
    write_large();
    cr_assert_ok(
        vv_data_in_open(&file, &world.context, FILE_NAME, &error), error);
    struct vv_range range = { FILE_NAME, file_of(&file), 4096 + 40, 8192 };
    cr_assert_ok(vv_mapping_new(&world.context, &range, &owner, &data,
                     &error), error);
    vv_opened_close(&file);
    cr_assert_eq(((float *)data)[0], 10);
    cr_assert_eq(((float *)data)[2047], 2057);
    vv_mapping_free(owner, data);
    end_world();
}

TEST(mapping, fails_without_memory_or_on_system_errors)
{
    struct vv_opened file;
    varve_error error = { 0 };
    void *owner, *data;
    begin_world();
    write_large();
    struct faulty *faulty = faulty_new(memory_system(world.memory));
    world.context = test_context(faulty_system(faulty));
    cr_assert_ok(
        vv_data_in_open(&file, &world.context, FILE_NAME, &error), error);
    struct vv_range range = { FILE_NAME, file_of(&file), 4096, 8192 };
    test_fail_allocation(0, false);
    cr_assert_eq(vv_mapping_new(&world.context, &range, &owner, &data,
                     &error), VARVE_NO_MEMORY);
    test_fail_allocation(-1, false);
    faulty_plan(faulty,
        &(struct faulty_plan){ .kinds = FAULTY_MAP, .error = EIO });
    cr_assert_eq(vv_mapping_new(&world.context, &range, &owner, &data,
                     &error), VARVE_IO);
    cr_assert_eq(error.system_error, EIO);
    vv_opened_close(&file);
    faulty_free(faulty);
    end_world();
}

TEST(mapping, outlives_the_restoration)
{
    begin_world();
    write_large();
    varve_node *root = new_root();
    varve_restoration *r =
        read_root(root, &(varve_read_options){ .map = true });
    varve_node *x = varve_add_allocated_variable(
        root, "x", VARVE_FLOAT32, VARVE_SHAPE(COUNT), NULL, NULL);
    cr_assert_not_null(x->variable->extra->borrowed);
    varve_restoration_free(r);
    cr_assert_eq(((float *)varve_data(x))[COUNT - 1], COUNT - 1);
    good(root);
    free_root(root);
    end_world();
}
