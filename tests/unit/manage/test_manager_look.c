/* test_manager_look.c - Tests the examination of checkpoints by a manager.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <stdio.h>

#include "manage_world.h"

/* A truncated file, a changed one, and one that is not a checkpoint. */
TEST(manager_look, limits_damaged_checkpoints_with_the_option)
{
    struct world w;
    size_t size;
    varve_error error = { 0 };
    varve_manager_options options = { .keep_last = 1 };
    world_begin(&w, &(varve_manager_options){ 0 });
    for (int i = 1; i <= 6; i++)
        world_save(&w, i);
    for (int i = 1; i <= 4; i++) {
        char path[40];
        snprintf(path, sizeof path, "run/ckpt-%d.varve", i);
        memory_bytes(w.memory, path, &size);
        memory_resize(w.memory, path, size - 1);
    }
    memory_put(w.memory, "run/ckpt-1.varve", "no checkpoint at all", 20);
    world_again(&w, &options);
    cr_assert_ok(varve_manager_resume(w.manager, &error), error);
    world_save(&w, 7);
    cr_assert_eq(varve_manager_count(w.manager), 5);
    options.keep_damaged = 1;
    world_again(&w, &options);
    cr_assert_ok(varve_manager_resume(w.manager, &error), error);
    world_save(&w, 8);
    cr_assert_eq(varve_manager_count(w.manager), 3);
    cr_assert(memory_bytes(w.memory, "run/ckpt-1.varve", &size));
    cr_assert(memory_bytes(w.memory, "run/ckpt-4.varve", &size));
    world_end(&w);
}
