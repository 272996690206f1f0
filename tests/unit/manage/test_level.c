/* test_level.c - Tests a storage tier.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <errno.h>
#include <stdio.h>

#include "level.h"
#include "manager.h"
#include "level_world.h"

#define SECOND INT64_C(1000000000)

/* A tier in the directory "slow" beside a manager of "run". */
struct beside {
    struct world w;
    struct vv_level level;
};

static void begin(struct beside *b)
{
    varve_error error = { 0 };
    memset(b, 0, sizeof *b);
    levels_begin(&b->w, NULL);
    cr_assert_ok(vv_level_begin(&b->level, &b->w.context, "slow", "ckpt",
        "metric", &error), error);
}

static void end(struct beside *b)
{
    vv_level_clear(&b->level);
    world_end(&b->w);
}

static varve_status copy(struct beside *b, uint64_t number, int64_t step,
    uint64_t *size, varve_error *error)
{
    char path[64];
    snprintf(path, sizeof path, "run/ckpt-%d.varve", (int)number);
    const struct vv_entry *e = vv_listing_find(&b->w.manager->listing, number);
    const struct vv_original original = { .path = path,
        .number = number,
        .counter = number,
        .step = step,
        .identity = e ? e->identity : 0,
        .origin = e ? e->origin : 0 };
    struct vv_original named = original;
    snprintf(named.run, sizeof named.run, "%s", e ? e->run : "");
    return vv_level_copy(&b->level, &named, size, error);
}

static void copy_and_tidy(struct beside *b, uint64_t number)
{
    varve_error error = { 0 };
    uint64_t size;
    cr_assert_ok(copy(b, number, (int64_t)number * 10, &size, &error), error);
    cr_assert_gt(size, 0);
    cr_assert_ok(vv_level_tidy(&b->level, number, &error), error);
}

/* --- Copying ------------------------------------------------------------ */

TEST(level, copies_a_checkpoint_only_once)
{
    struct beside b;
    varve_error error = { 0 };
    uint64_t size;
    begin(&b);
    world_save(&b.w, 10);
    copy_and_tidy(&b, 1);
    cr_assert_ok(copy(&b, 1, 10, &size, &error), error);
    cr_assert_eq(size, 0);
    faulty_plan(b.w.faulty, &(struct faulty_plan){
        .kinds = FAULTY_SYNC_DIRECTORY, .error = EIO });
    cr_assert_eq(copy(&b, 1, 10, &size, &error), VARVE_IO,
        "whether its name is on disk");
    end(&b);
}

TEST(level, recognizes_a_copy_by_its_identity)
{
    struct beside b;
    varve_error error = { 0 };
    uint64_t size;
    begin(&b);
    world_save(&b.w, 10);
    copy_and_tidy(&b, 1);
    const struct vv_original other = { .path = "run/ckpt-1.varve",
        .number = 1,
        .counter = 1,
        .step = 10,
        .identity = 7,
        .run = "01JDR3K5Z8Q4000000000SAMPL" };
    cr_assert_eq(vv_level_copy(&b.level, &other, &size, &error), VARVE_EXISTS);
    cr_assert(strstr(error.message,
                  "this number belongs to another checkpoint, of run"),
        "%s", error.message);
    cr_assert(strstr(error.message, "of run 01JDR3K5Z8Q4000000000SAMPL"),
        "%s", error.message);
    end(&b);
}

TEST(level, does_not_replace_a_file_that_is_not_a_copy)
{
    struct beside b;
    varve_error error = { 0 };
    uint64_t size;
    begin(&b);
    world_save(&b.w, 10);
    copy_and_tidy(&b, 1);
    cr_assert_eq(copy(&b, 1, 11, &size, &error), VARVE_EXISTS);
    cr_assert(strstr(error.message, "slow/ckpt-1.varve"));
    b.level.replaces = true;
    cr_assert_ok(copy(&b, 1, 11, &size, &error), error);
    b.level.replaces = false;
    memory_resize(b.w.memory, "slow/ckpt-1.varve", 100);
    cr_assert_ok(copy(&b, 1, 10, &size, &error), error);
    cr_assert_gt(size, 0, "it was damaged");
    end(&b);
}

TEST(level, does_not_copy_a_damaged_checkpoint)
{
    struct beside b;
    varve_error error = { 0 };
    uint64_t size;
    begin(&b);
    world_save(&b.w, 10);
    damage(&b.w, "run/ckpt-1.varve");
    cr_assert_eq(copy(&b, 1, 10, &size, &error), VARVE_CORRUPT);
    cr_assert_not(is_there(&b.w, "slow/ckpt-1.varve"));
    end(&b);
}

TEST(level, limits_its_rate_by_the_clock)
{
    struct beside b;
    varve_error error = { 0 };
    uint64_t size;
    static float large[1 << 20];
    begin(&b);
    const struct vv_system *s = b.w.context.system;
    varve_add_variable(b.w.root, "large", varve_array(large, 1 << 20));
    world_save(&b.w, 10);
    int64_t before = s->uptime(s->state);
    cr_assert_ok(copy(&b, 1, 10, &size, &error), error);
    cr_assert_eq(s->uptime(s->state), before, "there is no bound");
    remove_all(&b.w, "slow");
    b.level.bytes_per_second = 1 << 20;
    cr_assert_ok(copy(&b, 1, 10, &size, &error), error);
    int64_t passed = s->uptime(s->state) - before;
    cr_assert(passed >= 4 * SECOND && passed < 5 * SECOND, "%d ms",
        (int)(passed / 1000000));
    remove_all(&b.w, "slow");
    before = s->uptime(s->state);
    b.level.bytes_per_second = 1;
    atomic_store(&b.level.is_cancelled, true);
    cr_assert_eq(copy(&b, 1, 10, &size, &error), VARVE_CANCELLED);
    cr_assert_eq(s->uptime(s->state), before);
    end(&b);
}

/* --- Deleting ----------------------------------------------------------- */

TEST(level, keeps_checkpoints_of_its_policy_and_pinned_ones)
{
    struct beside b;
    begin(&b);
    b.level.policy = (struct vv_policy){
        .keep_last = 1, .keep_every_steps = 30
    };
    for (int64_t step = 10; step <= 60; step += 10)
        world_save(&b.w, step);
    copy_and_tidy(&b, 1);
    memory_put(b.w.memory, "slow/ckpt-2.pin", "", 0);
    memory_put(b.w.memory, "slow/ckpt-9.other", "", 0);
    for (uint64_t number = 2; number <= 6; number++)
        copy_and_tidy(&b, number);
    static const bool stays[] = { true, true, true, false, false, true };
    for (int i = 0; i < 6; i++) {
        char path[64];
        snprintf(path, sizeof path, "slow/ckpt-%d.varve", i + 1);
        cr_assert_eq(is_there(&b.w, path), stays[i], "%s", path);
    }
    cr_assert(is_there(&b.w, "slow/ckpt-9.other"));
    end(&b);
}

/* A manager of the tier's directory finds all checkpoints, and the reasons to
 * keep them. */
TEST(level, can_be_managed_as_a_directory)
{
    struct beside b;
    varve_error error = { 0 };
    varve_checkpoint_info managed;
    begin(&b);
    b.level.policy.keep_last = 2;
    for (int64_t step = 10; step <= 30; step += 10) {
        world_save(&b.w, step);
        copy_and_tidy(&b, (uint64_t)step / 10);
    }
    const varve_manager_options options = { .retention_from_ledger = true,
        .read_only = true };
    varve_manager *there =
        varve_manager_new(b.w.root, "slow", &options, &error);
    cr_assert_eq(varve_manager_count(there), 2);
    cr_assert(varve_manager_at(there, 0, &managed));
    cr_assert(managed.is_ours);
    cr_assert_eq(managed.step, 20);
    cr_assert_str_eq(managed.kept, "last 2");
    cr_assert_ok(varve_manager_resume(there, &error), error);
    cr_assert_eq(b.w.value, 30);
    varve_manager_free(there);
    end(&b);
}

TEST(level, deletes_nothing_while_another_manager_is_active)
{
    struct beside b;
    varve_error error = { 0 };
    uint64_t size;
    begin(&b);
    b.level.policy.keep_last = 1;
    world_save(&b.w, 10);
    cr_assert_ok(copy(&b, 1, 10, &size, &error), error);
    varve_manager *other = varve_manager_new(b.w.root, "slow", NULL, &error);
    cr_assert(other, "%s", error.message);
    world_save(&b.w, 20);
    cr_assert_ok(copy(&b, 2, 20, &size, &error), error);
    cr_assert_eq(vv_level_tidy(&b.level, 2, &error), VARVE_EXISTS);
    cr_assert(is_there(&b.w, "slow/ckpt-1.varve"));
    varve_manager_free(other);
    cr_assert_ok(vv_level_tidy(&b.level, 2, &error), error);
    cr_assert_not(is_there(&b.w, "slow/ckpt-1.varve"));
    end(&b);
}

/* Checkpoints of a run that this one does not continue. */
TEST(level, counts_and_deletes_no_checkpoints_of_other_runs)
{
    struct beside b;
    varve_error error = { 0 };
    uint64_t size;
    begin(&b);
    b.level.policy.keep_last = 1;
    varve_manager *other = varve_manager_new(b.w.root, "slow", NULL, &error);
    cr_assert_ok(varve_manager_save(other, 5, &error), error);
    varve_manager_free(other);
    cr_assert(is_there(&b.w, "slow/ckpt-1.varve"));
    for (int64_t step = 10; step <= 30; step += 10) {
        world_save(&b.w, step);
        cr_assert_ok(
            copy(&b, (uint64_t)step / 10 + 1, step, &size, &error), error);
        cr_assert_ok(
            vv_level_tidy(&b.level, (uint64_t)step / 10 + 1, &error), error);
    }
    cr_assert(is_there(&b.w, "slow/ckpt-1.varve"), "it is another run's");
    cr_assert(is_there(&b.w, "slow/ckpt-4.varve"));
    cr_assert_not(is_there(&b.w, "slow/ckpt-3.varve"));
    end(&b);
}

TEST(level, removes_files_of_a_killed_copy)
{
    struct beside b;
    begin(&b);
    world_save(&b.w, 10);
    memory_put(b.w.memory, "slow/.ckpt-7.varve.0123456789abcdef.tmp", "x", 1);
    copy_and_tidy(&b, 1);
    cr_assert_not(
        is_there(&b.w, "slow/.ckpt-7.varve.0123456789abcdef.tmp"));
    end(&b);
}
