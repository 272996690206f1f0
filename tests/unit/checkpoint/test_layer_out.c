/* test_layer_out.c - lib/checkpoint/save/layer_out.c
 *
 * SPDX-License-Identifier: MIT
 */
#include "layered_world.h"

#include <errno.h>

#include "layer_out.h"

static struct vv_index_columns columns;

static struct vv_layer_out begin_out(void)
{
    static const struct vv_layer_base none;
    struct vv_layer_out out;
    varve_error error = { 0 };
    vv_index_columns_begin(&columns, &world.context.allocator);
    cr_assert_ok(vv_layer_out_begin(&out, &world.context, "run/x.varve", 0,
                     &columns, &error),
        error);
    cr_assert_ok(vv_layer_out_set_base(&out, &none, &error), error);
    return out;
}

TEST(layer_out, joins_what_goes_on_and_gives_zeros_no_place_of_their_own)
{
    varve_error error = { 0 };
    begin_world();
    struct vv_layer_out out = begin_out();
    cr_assert_ok(vv_layer_out_zeros(&out, 32, &error), error);
    cr_assert_ok(vv_layer_out_new(&out, "abcd", 4, &error), error);
    cr_assert_ok(vv_layer_out_zeros(&out, 60, &error), error);
    cr_assert_ok(vv_layer_out_new(&out, "abcd", 4, &error), error);
    cr_assert_ok(vv_layer_out_end(&out, &error), error);
    struct vv_index index = vv_index_of_columns(&columns);
    cr_assert_eq(index.layer_count, 1);
    cr_assert_eq(index.place_count, 2);
    cr_assert_eq(vv_at32(index.place_layers, 0), VV_NONE);
    cr_assert_eq(vv_at64(index.place_begins, 1), 96);
    cr_assert_eq(vv_at64(index.place_offsets, 1), 96, "as in its 64 bytes");
    vv_layer_out_clear(&out, true);
    cr_assert_eq(memory_file_count(world.memory), 1);
    vv_index_columns_end(&columns);
    end_world();
}

TEST(layer_out, removes_a_layer_that_no_index_names)
{
    varve_error error = { 0 };
    for (int ends = 0; ends < 2; ends++) {
        begin_world();
        struct vv_layer_out out = begin_out();
        cr_assert_ok(vv_layer_out_new(&out, "abcd", 4, &error), error);
        if (ends)
            cr_assert_ok(vv_layer_out_end(&out, &error), error);
        vv_layer_out_clear(&out, false);
        cr_assert_eq(memory_file_count(world.memory), 0);
        vv_index_columns_end(&columns);
        end_world();
    }
}

TEST(layer_out, shares_the_folder_and_waits_for_who_has_it_alone)
{
    varve_error error = { 0 };
    begin_world();
    const struct vv_system *system = world.context.system;
    struct vv_layer_out out = begin_out();
    vv_index_columns_end(&columns);
    struct vv_layer_out other = begin_out();
    int folder = system->open_directory(
        system->state, VV_WORKING_DIRECTORY, "run/layers");
    cr_assert_eq(system->lock(system->state, folder), -EWOULDBLOCK);
    vv_layer_out_clear(&other, false);
    vv_layer_out_clear(&out, false);
    cr_assert_eq(system->lock(system->state, folder), 0);
    cr_assert_eq(vv_layer_out_begin(&out, &world.context, "run/x.varve", 0,
                     &columns, &error),
        VARVE_TIMEOUT);
    vv_layer_out_clear(&out, false);
    system->close(system->state, folder);
    vv_index_columns_end(&columns);
    end_world();
}
