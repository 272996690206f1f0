/* test_staged_copy_in.c - Tests copying staged values into memory that cannot
 * be written directly.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

#include "staged.h"
#include "support/views.h"

enum { COUNT = 4, FLOATS = 270000 }; /* two ranges each */

static struct view views[COUNT];
static struct vv_move moves[COUNT];
static varve_node *root;

/* Creates a device, a strided, and another device variable, and one that is not
 * staged. Their values are 1, the staged ones are 2. */
static void begin(void)
{
    uint64_t seed = 3;
    begin_world();
    root = new_root();
    for (int i = 0; i < COUNT; i++) {
        char name[2] = { (char)('a' + i), 0 };
        if (i == 1)
            view_make_strided(
                &views[i], VARVE_FLOAT32, VARVE_SHAPE(FLOATS), &seed);
        else
            view_make_far(&views[i], VARVE_FLOAT32, VARVE_SHAPE(FLOATS));
        view_set(&views[i], 1);
        unsigned char *staged = malloc(views[i].value_size);
        for (size_t k = 0; k < views[i].value_size; k++)
            staged[k] = view_byte(2, k);
        moves[i] = (struct vv_move){ .is_elsewhere = true,
            .is_staged = i != 3,
            .node = varve_add_variable(root, name, views[i].tensor),
            .target = staged };
    }
}

static void end(void)
{
    for (int i = 0; i < COUNT; i++) {
        free(moves[i].target);
        view_free(&views[i]);
    }
    free_root(root);
    end_world();
}

static varve_status put(bool is_last, varve_error *error)
{
    const struct vv_copy_in all = { moves, COUNT, is_last };
    return vv_copy_in_put(&all, &world.context.allocator, error);
}

static void check(uint64_t number)
{
    for (int i = 0; i < COUNT; i++)
        cr_assert(view_is(&views[i], i == 3 ? 1 : number), "value %d", i);
}

TEST(copy_in, exchanges_values_with_the_staging_and_back)
{
    varve_error error = { 0 };
    begin();
    cr_assert_ok(put(false, &error), error);
    check(2);
    for (int i = 0; i < 3; i++)
        cr_assert(view_bytes_are(moves[i].target, views[i].value_size, 1));
    vv_copy_in_put_back(moves, COUNT);
    check(1);
    end();
}

TEST(copy_in, copies_without_an_undo)
{
    varve_error error = { 0 };
    begin();
    cr_assert_ok(put(true, &error), error);
    check(2);
    cr_assert(view_bytes_are(moves[1].target, views[1].value_size, 2));
    end();
}

TEST(copy_in, is_undone_if_any_copy_fails)
{
    for (long at = 0; at < 4; at++)
        for (int which = 0; which < 3; which += 2) {
            varve_error error = { 0 };
            begin();
            view_fail(&views[which], at, 1);
            cr_assert_eq(put(true, &error), VARVE_CALLBACK);
            cr_assert_eq(error.message[0], 'a' + which);
            check(1);
            cr_assert(!moves[0].is_touched && !moves[2].is_touched);
            end();
        }
}

TEST(copy_in, reports_values_that_could_not_be_undone)
{
    varve_error error = { 0 };
    begin();
    view_fail(&views[0], 4, 1000); /* after its value was copied */
    view_fail(&views[2], 3, 1);
    cr_assert_eq(put(false, &error), VARVE_CALLBACK);
    cr_assert(moves[0].is_touched && !moves[2].is_touched);
    cr_assert(view_is(&views[2], 1));
    end();
}

TEST(copy_in, allocates_memory_before_anything_changes)
{
    varve_error error = { 0 };
    begin();
    test_fail_allocation(0, false);
    cr_assert_eq(put(true, &error), VARVE_NO_MEMORY);
    check(1);
    end();
}
