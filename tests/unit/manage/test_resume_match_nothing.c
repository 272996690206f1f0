/* test_resume_match_nothing.c - Tests whether a run may start from the
 * beginning.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <string.h>

#include "manage_world.h"
#include "system.h"

static void damage(struct world *w, const char *path)
{
    size_t size;
    unsigned char *bytes = memory_bytes(w->memory, path, &size);
    bytes[size / 2] ^= 1;
}

/* Creates two damaged checkpoints, and restarts the program. */
static void begin_damaged(
    struct world *w, const varve_manager_options *options)
{
    world_begin(w, NULL);
    world_save(w, 1);
    world_save(w, 2);
    damage(w, "run/ckpt-1.varve");
    damage(w, "run/ckpt-2.varve");
    world_again(w, options);
}

TEST(resume_nothing, damaged_checkpoints_fail_the_resume)
{
    struct world w;
    varve_error error = { 0 };
    begin_damaged(&w, NULL);
    cr_assert_eq(varve_manager_resume(w.manager, &error), VARVE_CORRUPT);
    cr_assert(strstr(error.message,
        "run: no checkpoint is intact, 2 are damaged: run/ckpt-2.varve"), "%s",
        error.message);
    world_end(&w);
}

TEST(resume_nothing, a_run_may_start_despite_damage_if_allowed)
{
    struct world w;
    varve_error error = { 0 };
    begin_damaged(&w, &(varve_manager_options){ .may_resume_older = true });
    cr_assert_ok(varve_manager_resume(w.manager, &error), error);
    cr_assert_null(varve_manager_restoration(w.manager));
    cr_assert(varve_manager_skipped(w.manager, 1));
    world_end(&w);
}

TEST(resume_nothing, damaged_copies_in_a_level_fail_the_resume)
{
    struct world w;
    varve_error error = { 0 };
    const varve_level level = { .directory = "slow" };
    const varve_manager_options options = { .levels = &level,
        .level_count = 1, .keep_last = 1 };
    world_begin(&w, NULL);
    world_again(&w, &options);
    world_save(&w, 1);
    cr_assert_ok(varve_manager_drain(w.manager, -1, &error), error);
    const struct vv_system *system = memory_system(w.memory);
    damage(&w, "slow/ckpt-1.varve");
    world_stop(&w);
    static const char *const names[] = { "run/ckpt-1.varve", "run/ckpt.ledger",
        "run/.ckpt.lock" };
    for (size_t i = 0; i < 3; i++)
        cr_assert_eq(system->remove(system->state, VV_WORKING_DIRECTORY,
            names[i]), 0);
    world_start(&w, &options);
    cr_assert_eq(varve_manager_resume(w.manager, &error), VARVE_CORRUPT);
    cr_assert(strstr(error.message, "slow/ckpt-1.varve"), "%s", error.message);
    world_end(&w);
}
