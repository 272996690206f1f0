/* test_manager_lock.c - lib/manage/manager_lock.c
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "manage_world.h"
#include "system.h"

static void remove_directory(struct world *w)
{
    const struct vv_system *system = memory_system(w->memory);
    while (memory_file_count(w->memory) > 0)
        cr_assert_eq(system->remove(system->state, VV_WORKING_DIRECTORY,
            memory_file_path(w->memory, 0)), 0);
    cr_assert_eq(
        system->remove(system->state, VV_WORKING_DIRECTORY, "run"), 0);
}

TEST(manager_lock, locks_a_directory_that_was_made_anew)
{
    struct world w;
    varve_error error;
    world_begin(&w, NULL);
    world_save(&w, 10);
    remove_directory(&w);
    varve_manager *other = varve_manager_new(w.root, "run", NULL, &error);
    cr_assert(other, "%s", error.message);
    cr_assert_ok(varve_manager_save(other, 20, &error), error);
    varve_managed managed;
    cr_assert(varve_manager_at(w.manager, 0, &managed));
    cr_assert_eq(varve_manager_save(w.manager, 30, &error), VARVE_EXISTS);
    cr_assert_str_eq(managed.path, "run/ckpt-1.varve");
    cr_assert_eq(varve_manager_prune(w.manager, &error), VARVE_EXISTS);
    remove_directory(&w);
    world_save(&w, 40);
    cr_assert_eq(varve_manager_count(w.manager), 1);
    cr_assert_eq(varve_manager_save(other, 50, &error), VARVE_EXISTS);
    varve_manager_free(w.manager);
    w.manager = other;
    world_save(&w, 60);
    cr_assert_eq(varve_manager_count(other), 2);
    world_end(&w);
}
