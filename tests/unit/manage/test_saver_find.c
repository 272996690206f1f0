/* test_saver_find.c - Tests finding the files of a saver.
 *
 * SPDX-License-Identifier: MIT
 */
#include "savers.h"

#include "saver_find.h"

static void put(const char *path, int64_t when)
{
    memory_set_now(world.memory, when);
    memory_put(world.memory, path, "x", 1);
}

/* memory_put does not set the time; a save does. */
static void make(varve_saver *saver, const char *prefix, uint64_t step,
    int64_t when)
{
    memory_set_now(world.memory, when);
    save(saver, prefix, step);
}

TEST(saver_find, finds_the_files_of_a_prefix)
{
    static const char *const others[] = { "run/b-1.varve", "run/a-.varve",
        "run/a-x.varve", "run/a-01.varve", "run/a1.varve", "run/a-1.varv",
        "run/a-000000012.varve", "a-3.varve", "run/a--1.varve" };
    begin_world();
    struct vv_saver_files found;
    varve_error error = { 0 };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        put(others[i], 0);
    cr_assert_ok(
        vv_saver_scan(&world.context, "run/a", &found, &error), error);
    cr_assert_eq(found.count, 0, "%s", found.count ? found.items[0].path : "");
    vv_saver_files_clear(&world.context.allocator, &found);
    put("run/a-7.varve", 0);
    put("run/a-00000012.varve", 0);
    put("run/a-123456789.varve", 0);
    put("run/a-0.varve", 0);
    put("run/a.varve", 0);
    cr_assert_ok(
        vv_saver_scan(&world.context, "run/a", &found, &error), error);
    static const char *const wanted[] = { "run/a.varve", "run/a-0.varve",
        "run/a-7.varve", "run/a-00000012.varve", "run/a-123456789.varve" };
    cr_assert_eq(found.count, 5);
    for (size_t i = 0; i < 5; i++)
        cr_assert_str_eq(found.items[i].path, wanted[i]);
    cr_assert_eq(found.items[3].number, 12);
    vv_saver_files_clear(&world.context.allocator, &found);
    cr_assert_ok(
        vv_saver_scan(&world.context, "none/a", &found, &error), error);
    cr_assert_eq(found.count, 0);
    end_world();
}

TEST(saver_find, sorts_by_time_and_then_by_number)
{
    begin_world();
    struct vv_saver_files found;
    varve_error error = { 0 };
    varve_saver *saver = new_saver(NULL);
    add(saver, "v", leaf(world.root, "v", 0));
    make(saver, "a", 10, 1000);
    make(saver, "a", 2, 5000);
    make(saver, "a", 9, 3000);
    make(saver, "a", 4, 3000);
    memory_set_now(world.memory, 3000);
    cr_assert_ok(varve_saver_save(saver, "a", NULL, &error), error);
    cr_assert_ok(vv_saver_scan(&world.context, "a", &found, &error), error);
    cr_assert_ok(vv_saver_look(&world.context, &found, &error), error);
    vv_saver_sort(&found);
    static const char *const wanted[] = { "a-10.varve", "a.varve", "a-4.varve",
        "a-9.varve", "a-2.varve" };
    for (size_t i = 0; i < 5; i++)
        cr_assert_str_eq(found.items[i].path, wanted[i]);
    vv_saver_files_clear(&world.context.allocator, &found);
    varve_saver_free(saver);
    end_world();
}
