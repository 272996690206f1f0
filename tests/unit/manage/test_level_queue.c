/* test_level_queue.c - Tests the queue of checkpoints of a tier.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <errno.h>
#include <stdio.h>

#include "level_world.h"
#include "reader.h"

static const varve_level one[] = { { .directory = "slow" } };
static const varve_level seldom[] = {
    { .directory = "slow", .every_steps = 100 }
};

#define WITH(these) .levels = (these), .level_count = 1

static bool is_copied(struct world *w, int number)
{
    char path[64];
    snprintf(path, sizeof path, "slow/ckpt-%d.varve", number);
    return is_there(w, path);
}

/* --- Number of pending copies ------------------------------------------- */

TEST(level_queue, skips_the_oldest_if_too_many_are_pending)
{
    for (size_t most = 0; most <= 2; most++) {
        struct world w;
        const varve_level levels[] = {
            { .directory = "slow", .max_pending = most }
        };
        const varve_manager_options options = { WITH(levels) };
        const size_t may = most ? most : 1;
        levels_begin(&w, &options);
        gate_close();
        world_save(&w, 10);
        gate_await(1); /* the first is being copied and not pending */
        for (int64_t step = 20; step <= 50; step += 10)
            world_save(&w, step);
        const varve_level_state state = level_state(&w, 0);
        cr_assert_eq(state.waiting, 1 + may);
        cr_assert_eq(state.left_out, 4 - may);
        cr_assert_null(state.failure);
        gate_open();
        levels_drain(&w);
        for (int number = 1; number <= 5; number++)
            cr_assert_eq(is_copied(&w, number),
                number == 1 || (size_t)number + may > 5, "%d", number);
        world_end(&w);
    }
}

TEST(level_queue, protects_pending_checkpoints_from_deletion)
{
    struct world w;
    varve_error error;
    const varve_manager_options options = { WITH(one), .keep_last = 1 };
    levels_begin(&w, &options);
    gate_close();
    world_save(&w, 10);
    gate_await(1);
    world_save(&w, 20);
    world_save(&w, 30);
    world_save(&w, 40);
    cr_assert(is_there(&w, "run/ckpt-1.varve"), "it is being copied");
    cr_assert_not(is_there(&w, "run/ckpt-2.varve"), "it was left out");
    cr_assert_not(is_there(&w, "run/ckpt-3.varve"), "it was left out");
    gate_open();
    levels_drain(&w);
    cr_assert_ok(varve_manager_prune(w.manager, &error), error);
    cr_assert_not(is_there(&w, "run/ckpt-1.varve"));
    cr_assert(is_copied(&w, 1) && is_copied(&w, 4));
    world_end(&w);
}

/* --- Failures ----------------------------------------------------------- */

TEST(level_queue, retries_with_the_next_checkpoint_even_if_not_due)
{
    struct world w;
    varve_error error = { 0 };
    const varve_manager_options options = { WITH(seldom) };
    levels_begin(&w, &options);
    w.may_warn = true;
    gate_refuse(ENOSPC);
    world_save(&w, 100);
    cr_assert_eq(
        varve_manager_drain(w.manager, -1, &error), VARVE_NO_SPACE);
    cr_assert(strstr(error.message,
        "slow: copy of run/ckpt-1.varve failed: slow/ckpt-1.varve: "));
    varve_level_state state = level_state(&w, 0);
    cr_assert_str_eq(state.failure, error.message);
    cr_assert_eq(state.waiting, 1);
    gate_refuse(0);
    world_save(&w, 110);
    levels_drain(&w);
    cr_assert(is_copied(&w, 1));
    cr_assert_not(is_copied(&w, 2));
    cr_assert_null(level_state(&w, 0).failure);
    world_end(&w);
}

TEST(level_queue, skips_a_damaged_checkpoint_and_copies_the_next)
{
    struct world w;
    varve_error error = { 0 };
    const varve_manager_options options = { WITH(seldom) };
    levels_begin(&w, &options);
    w.may_warn = true;
    gate_refuse(EIO);
    world_save(&w, 100);
    cr_assert_eq(varve_manager_drain(w.manager, -1, &error), VARVE_IO);
    gate_refuse(0);
    damage(&w, "run/ckpt-1.varve");
    cr_assert_eq(varve_manager_drain(w.manager, -1, &error), VARVE_CORRUPT);
    cr_assert(strstr(level_state(&w, 0).failure, "run/ckpt-1.varve"));
    cr_assert_eq(level_state(&w, 0).waiting, 0);
    world_save(&w, 110);
    levels_drain(&w);
    cr_assert(is_copied(&w, 2), "due, as the first was lost");
    cr_assert_null(level_state(&w, 0).failure);
    world_save(&w, 120);
    levels_drain(&w);
    cr_assert_not(is_copied(&w, 3));
    world_end(&w);
}

TEST(level_queue, copies_pending_checkpoints_after_a_damaged_one)
{
    struct world w;
    varve_error error = { 0 };
    const varve_level levels[] = {
        { .directory = "slow", .max_pending = 2 }
    };
    const varve_manager_options options = { WITH(levels) };
    levels_begin(&w, &options);
    w.may_warn = true;
    gate_refuse(EIO);
    world_save(&w, 10);
    world_save(&w, 20);
    cr_assert_eq(varve_manager_drain(w.manager, -1, &error), VARVE_IO);
    damage(&w, "run/ckpt-1.varve");
    gate_refuse(0);
    levels_drain(&w);
    cr_assert(is_copied(&w, 2));
    cr_assert_eq(level_state(&w, 0).waiting, 0);
    world_end(&w);
}

TEST(level_queue, retries_to_start_its_thread)
{
    struct world w;
    varve_error error = { 0 };
    const varve_manager_options options = { WITH(one) };
    levels_begin(&w, &options);
    w.may_warn = true;
    faulty_plan(w.faulty, &(struct faulty_plan){
        .kinds = FAULTY_START_THREAD, .error = EAGAIN, .sticky = true });
    world_save(&w, 10);
    cr_assert(strstr(level_state(&w, 0).failure, "slow: starting the thread"));
    cr_assert_neq(varve_manager_drain(w.manager, -1, &error), VARVE_OK);
    faulty_plan(w.faulty, NULL);
    levels_drain(&w);
    cr_assert(is_copied(&w, 1));
    cr_assert_null(level_state(&w, 0).failure);
    world_end(&w);
}

TEST(level_queue, reports_the_reason_for_not_deleting)
{
    struct world w;
    varve_error error = { 0 };
    const varve_level levels[] = { { .directory = "slow", .keep_last = 1 } };
    const varve_manager_options options = { WITH(levels) };
    levels_begin(&w, &options);
    w.may_warn = true;
    varve_manager *other = varve_manager_new(w.root, "slow", NULL, &error);
    cr_assert(other, "%s", error.message);
    world_save(&w, 10);
    levels_drain(&w);
    cr_assert(strstr(level_state(&w, 0).failure,
        "slow: pruning failed: slow: locked by process 1 on machine"));
    varve_manager_free(other);
    world_save(&w, 20);
    levels_drain(&w);
    cr_assert_null(level_state(&w, 0).failure);
    cr_assert_not(is_copied(&w, 1));
    world_end(&w);
}

TEST(level_queue, a_freed_manager_cancels_a_copy_at_the_next_chunk)
{
    struct world w;
    static float large[1 << 20];
    const varve_level levels[] = {
        { .directory = "slow", .bytes_per_second = 1 }
    };
    const varve_manager_options options = { WITH(levels) };
    levels_begin(&w, &options);
    varve_add_variable(w.root, "large", varve_array(large, 1 << 20));
    gate_close();
    world_save(&w, 10);
    gate_await(1);
    gate_open();
    world_stop(&w); /* which would last 48 days */
    cr_assert_not(is_copied(&w, 1));
    for (size_t i = 0; i < memory_file_count(w.memory); i++)
        cr_assert_not(strstr(memory_file_path(w.memory, i), ".tmp"));
    const varve_manager_options faster = { WITH(one) };
    world_start(&w, &faster);
    resume(&w);
    world_save(&w, 20);
    levels_drain(&w);
    cr_assert(is_copied(&w, 2));
    world_end(&w);
}

/* --- Failures of every call of a copy ----------------------------------- */

static bool verifies(struct world *w, const char *path)
{
    varve_error error = { 0 };
    varve_reader *reader = vv_reader_open_in(&w->context, path, &error);
    bool is_good = reader && !varve_reader_verify(reader, NULL, &error);
    varve_reader_free(reader);
    return is_good;
}

/* Leaves one pending checkpoint, whose copy starts next. */
static void begin_before_copy(
    struct world *w, const varve_manager_options *options)
{
    varve_error error = { 0 };
    levels_begin(w, options);
    w->may_warn = true;
    gate_refuse(EIO);
    world_save(w, 10);
    cr_assert_eq(varve_manager_drain(w->manager, -1, &error), VARVE_IO);
    gate_refuse(0);
}

static void check_whole(struct world *w, long n)
{
    cr_assert(verifies(w, "slow/ckpt-1.varve"), "call %ld", n);
    for (size_t i = 0; i < memory_file_count(w->memory); i++)
        cr_assert_not(strstr(memory_file_path(w->memory, i), ".tmp"),
            "call %ld left %s", n, memory_file_path(w->memory, i));
}

TEST(level_queue, a_failed_call_is_reported_and_the_copy_repeated)
{
    const varve_manager_options options = { WITH(one) };
    bool is_hit = true;
    for (long n = 0; is_hit; n++) {
        struct world w;
        varve_error error = { 0 };
        begin_before_copy(&w, &options);
        faulty_plan(
            w.faulty, &(struct faulty_plan){ .number = n, .error = EIO });
        varve_status status = varve_manager_drain(w.manager, -1, &error);
        is_hit = faulty_hit(w.faulty);
        faulty_plan(w.faulty, NULL);
        cr_assert(!status || level_state(&w, 0).failure, "call %ld", n);
        if (!status)
            cr_assert(verifies(&w, "slow/ckpt-1.varve"), "call %ld", n);
        levels_drain(&w);
        world_save(&w, 20);
        levels_drain(&w);
        cr_assert_null(level_state(&w, 0).failure, "call %ld: %s", n,
            level_state(&w, 0).failure);
        check_whole(&w, n);
        world_end(&w);
    }
}

/* From some call on all calls fail: for the disk this is equivalent to a
 * kill. */
TEST(level_queue, a_kill_at_any_call_leaves_a_complete_copy_or_none)
{
    const varve_manager_options options = { WITH(one) };
    bool is_hit = true;
    for (long n = 0; is_hit; n++) {
        struct world w;
        varve_error error = { 0 };
        begin_before_copy(&w, &options);
        faulty_plan(w.faulty, &(struct faulty_plan){
            .number = n, .error = EIO, .sticky = true });
        (void)!varve_manager_drain(w.manager, -1, &error);
        is_hit = faulty_hit(w.faulty);
        world_stop(&w);
        faulty_plan(w.faulty, NULL);
        cr_assert(!is_copied(&w, 1) || verifies(&w, "slow/ckpt-1.varve"),
            "call %ld", n);
        world_start(&w, &options);
        resume(&w);
        cr_assert_eq(w.value, 10);
        levels_drain(&w);
        world_save(&w, 20);
        levels_drain(&w);
        check_whole(&w, n);
        world_end(&w);
    }
}

/* A copy whose name may not be durable is repeated; no other one is. */
TEST(level_queue, a_copy_that_may_not_be_durable_is_repeated)
{
    struct world w;
    varve_error error = { 0 };
    const varve_manager_options options = { WITH(one) };
    begin_before_copy(&w, &options);
    faulty_plan(w.faulty, &(struct faulty_plan){
        .kinds = FAULTY_SYNC_DIRECTORY, .error = EIO });
    cr_assert_eq(varve_manager_drain(w.manager, -1, &error),
        VARVE_UNKNOWN_OUTCOME, "%s", error.message);
    cr_assert(is_copied(&w, 1));
    faulty_plan(w.faulty, NULL);
    levels_drain(&w);
    cr_assert_gt(level_state(&w, 0).copied, 0);
    world_end(&w);
}
