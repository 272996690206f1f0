/* test_save_plan_write.c - Tests writing the values and the index of a save
 * plan.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/faulty_system.h"
#include "worlds.h"

#include "save_plan_write.h"

/* As after losing the race for a number. */
TEST(save_plan_write, writes_the_same_bytes_twice_without_the_graph)
{
    static float values[3] = { 1, 2, 3 };
    varve_error error = { 0 };
    struct vv_save_plan save_plan;
    size_t size, other_size;
    begin_world();
    varve_node *root = new_root();
    varve_node *a = varve_add_variable(root, "a", varve_array(values, 3));
    cr_assert_ok(vv_save_plan_gather(&save_plan, root, NULL, &error), error);
    varve_remove(a);
    cr_assert_ok(vv_save_plan_write(&save_plan, "x", &error), error);
    save_plan.options.no_replace = true;
    cr_assert_eq(vv_save_plan_write(&save_plan, "x", &error), VARVE_EXISTS);
    cr_assert_ok(vv_save_plan_write(&save_plan, "y", &error), error);
    unsigned char *bytes = memory_bytes(world.memory, "x", &size);
    unsigned char *others = memory_bytes(world.memory, "y", &other_size);
    cr_assert_eq(size, other_size);
    cr_assert_eq(memcmp(bytes, others, size), 0);
    vv_save_plan_clear(&save_plan);
    free_root(root);
    end_world();
}

/* Data that is not synced need not be written back early. */
TEST(save_plan_write, starts_write_back_only_for_synced_files)
{
    enum { SIZE = 20 << 20, WAYS = 4 };
    varve_error error = { 0 };
    unsigned char *bytes = calloc(1, SIZE);
    begin_world();
    struct faulty *faulty = faulty_new(memory_system(world.memory));
    world.context = test_context(faulty_system(faulty));
    varve_node *root = new_root();
    varve_add_variable(root, "a",
        varve_view(bytes, VARVE_UINT8, VARVE_SHAPE(SIZE)));
    for (int i = 0; i < WAYS; i++) {
        bool no_sync = i % 2;
        varve_write_options options = { .no_sync = no_sync,
            .incremental = i > 1 };
        size_t count = 0;
        memset(bytes, i + 1, SIZE); /* a data file contains new data */
        faulty_plan(faulty, NULL);
        cr_assert_ok(varve_write(root, "x", &options, &error), error);
        for (size_t at = 0; at < faulty_log_size(faulty); at++)
            count += faulty_log_at(faulty, at)->kind == FAULTY_START_WRITE_BACK;
        cr_assert_eq(count > 0, !no_sync);
    }
    free_root(root);
    faulty_free(faulty);
    free(bytes);
    end_world();
}
