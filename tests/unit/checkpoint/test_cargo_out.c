/* test_cargo_out.c - lib/checkpoint/save/cargo_out.c
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

#include "cargo_out.h"

/* As a save does that lost the race for a number. */
TEST(cargo_out, writes_the_same_twice_and_needs_no_graph)
{
    static float values[3] = { 1, 2, 3 };
    varve_error error = { 0 };
    struct vv_cargo cargo;
    size_t size, other_size;
    begin_world();
    varve_node *root = new_root();
    varve_node *a = varve_add_variable(root, "a", varve_array(values, 3));
    cr_assert_ok(vv_cargo_gather(&cargo, root, NULL, &error), error);
    varve_remove(a);
    cr_assert_ok(vv_cargo_write(&cargo, "x", &error), error);
    cargo.options.no_replace = true;
    cr_assert_eq(vv_cargo_write(&cargo, "x", &error), VARVE_EXISTS);
    cr_assert_ok(vv_cargo_write(&cargo, "y", &error), error);
    unsigned char *bytes = memory_bytes(world.memory, "x", &size);
    unsigned char *others = memory_bytes(world.memory, "y", &other_size);
    cr_assert_eq(size, other_size);
    cr_assert_eq(memcmp(bytes, others, size), 0);
    vv_cargo_clear(&cargo);
    free_root(root);
    end_world();
}
