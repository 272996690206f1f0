/* test_levels.c - Tests a manager with storage tiers.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <errno.h>

#include "level_world.h"
#include "reader.h"

static const varve_level one[] = { { .directory = "slow" } };
static const varve_level two[] = {
    { .directory = "slow" }, { .directory = "far/away", .every_steps = 20 }
};

#define WITH(these)                                                            \
    .levels = (these), .level_count = sizeof(these) / sizeof *(these)

/* --- Copies ------------------------------------------------------------- */

/* Checks that a copy is a complete checkpoint with the same metadata. */
static void check_copy(
    struct world *w, const char *path, uint64_t counter, int64_t step)
{
    varve_error error = { 0 };
    varve_reader *reader = vv_reader_open_in(&w->context, path, &error);
    cr_assert(reader, "%s", error.message);
    cr_assert_ok(varve_reader_verify(reader, NULL, &error), error);
    cr_assert_eq(varve_reader_counter(reader), counter);
    const varve_metadata *m;
    size_t i = 0;
    while ((m = varve_reader_metadata_at(reader, i)) &&
           strcmp(m->name, "step") != 0)
        i++;
    cr_assert(m);
    cr_assert_eq(m->integer, step);
    varve_reader_free(reader);
}

TEST(levels, receive_each_checkpoint_that_is_due)
{
    struct world w;
    const varve_manager_options options = { WITH(two) };
    levels_begin(&w, &options);
    cr_assert_null(level_state(&w, 0).latest);
    cr_assert_eq(level_state(&w, 0).step, -1);
    for (int64_t step = 10; step <= 40; step += 10) {
        world_save(&w, step);
        levels_drain(&w);
    }
    check_copy(&w, "slow/ckpt-1.varve", 1, 10);
    check_copy(&w, "slow/ckpt-4.varve", 4, 40);
    check_copy(&w, "far/away/ckpt-2.varve", 2, 20);
    check_copy(&w, "far/away/ckpt-4.varve", 4, 40);
    cr_assert_not(is_there(&w, "far/away/ckpt-1.varve"));
    cr_assert_not(is_there(&w, "far/away/ckpt-3.varve"));
    const varve_level_state state = level_state(&w, 1);
    cr_assert_str_eq(state.directory, "far/away");
    cr_assert_str_eq(state.latest, "far/away/ckpt-4.varve");
    cr_assert_eq(state.step, 40);
    cr_assert_eq(state.waiting, 0);
    cr_assert_eq(state.left_out, 0);
    cr_assert_null(state.failure);
    size_t size, other;
    memory_bytes(w.memory, "far/away/ckpt-2.varve", &other);
    memory_bytes(w.memory, "far/away/ckpt-4.varve", &size);
    cr_assert_eq(state.copied, size + other);
    varve_level_state none;
    cr_assert_not(varve_manager_level_at(w.manager, 2, &none));
    cr_assert_not(varve_manager_level_at(NULL, 0, &none));
    world_end(&w);
}

TEST(levels, can_be_due_by_time)
{
    struct world w;
    const varve_level levels[] = {
        { .directory = "slow", .every_seconds = 60 }
    };
    const varve_manager_options options = { WITH(levels) };
    levels_begin(&w, &options);
    for (int64_t step = 1; step <= 5; step++) {
        world_save(&w, step);
        levels_drain(&w);
        w.context.system->sleep(
            w.context.system->state, 30 * INT64_C(1000000000));
    }
    cr_assert(is_there(&w, "slow/ckpt-1.varve"));
    cr_assert_not(is_there(&w, "slow/ckpt-2.varve"));
    cr_assert(is_there(&w, "slow/ckpt-3.varve"));
    cr_assert_not(is_there(&w, "slow/ckpt-4.varve"));
    cr_assert(is_there(&w, "slow/ckpt-5.varve"));
    world_end(&w);
}

TEST(levels, receive_no_checkpoint_that_is_not_durable)
{
    struct world w;
    const varve_write_options write = { .no_sync = true };
    const varve_manager_options options = { WITH(one), .write = &write };
    levels_begin(&w, &options);
    world_save(&w, 10);
    world_save(&w, 20);
    levels_drain(&w);
    cr_assert_not(is_there(&w, "slow/ckpt-1.varve"));
    cr_assert_not(is_there(&w, "slow/ckpt-2.varve"));
    world_end(&w);
}

/* A listing or an index that cannot be read after a save: the tier gets the
 * checkpoint nevertheless, or a flush fails. */
TEST(levels, receive_a_checkpoint_missing_in_the_listing)
{
    bool is_hit = true;
    for (long n = 0; is_hit; n++) {
        struct world w;
        varve_error error = { 0 };
        const varve_manager_options options = { WITH(one) };
        levels_begin(&w, &options);
        w.may_warn = true;
        world_save(&w, 10);
        levels_drain(&w);
        gate_close();
        faulty_plan(w.faulty, &(struct faulty_plan){ .number = n,
            .kinds = FAULTY_OPEN | FAULTY_OPEN_DIRECTORY | FAULTY_EACH_NAME |
                FAULTY_READ | FAULTY_INFO,
            .error = EIO });
        w.value = 20;
        bool is_saved =
            varve_manager_save(w.manager, 20, &error) == VARVE_OK;
        is_hit = faulty_hit(w.faulty);
        faulty_plan(w.faulty, NULL);
        gate_open();
        varve_status drained = varve_manager_drain(w.manager, -1, &error);
        cr_assert(!is_saved || drained || is_there(&w, "slow/ckpt-2.varve"),
            "call %ld fails, and the level lacks what a drain has promised", n);
        world_end(&w);
    }
}

/* Two runs started from the beginning, each of which saved a step 10. */
TEST(levels, replace_no_checkpoint_if_its_step_is_unreadable)
{
    bool is_hit = true;
    for (long n = 0; is_hit; n++) {
        struct world w;
        varve_error error = { 0 };
        const varve_manager_options options = { WITH(one),
            .number_by_step = true };
        size_t size, size_then;
        unsigned char older[4096];
        levels_begin(&w, &options);
        w.may_warn = true;
        world_save(&w, 10);
        levels_drain(&w);
        const void *bytes = memory_bytes(w.memory, "slow/ckpt-10.varve", &size);
        cr_assert(bytes && size <= sizeof older);
        memcpy(older, bytes, size);
        world_stop(&w);
        remove_all(&w, "run");
        const struct vv_system *s = memory_system(w.memory);
        cr_assert_eq(s->remove(s->state, VV_WORKING_DIRECTORY,
                         "slow/ckpt.ledger"), 0);
        world_start(&w, &options);
        faulty_plan(w.faulty, &(struct faulty_plan){ .number = n,
            .kinds = FAULTY_OPEN | FAULTY_READ | FAULTY_INFO, .error = EIO });
        if (varve_manager_save(w.manager, 10, &error) == VARVE_OK &&
            varve_manager_drain(w.manager, -1, &error) == VARVE_OK)
            cr_assert_fail("call %ld: two runs have one number", n);
        is_hit = faulty_hit(w.faulty);
        faulty_plan(w.faulty, NULL);
        bytes = memory_bytes(w.memory, "slow/ckpt-10.varve", &size_then);
        cr_assert(bytes && size == size_then &&
                memcmp(older, bytes, size) == 0,
            "call %ld fails, and another run's checkpoint is replaced", n);
        world_end(&w);
    }
}

TEST(levels, receive_an_incremental_checkpoint_as_one_file)
{
    struct world w;
    static float large[1 << 16];
    const varve_write_options write = { .incremental = true };
    const varve_manager_options options = { WITH(one), .write = &write };
    levels_begin(&w, &options);
    size_t count = sizeof large / sizeof *large;
    large[1] = 1;
    varve_add_variable(w.root, "large", varve_array(large, count));
    world_save(&w, 10);
    world_save(&w, 20);
    levels_drain(&w);
    remove_all(&w, "run/layers");
    remove_all(&w, "run");
    check_copy(&w, "slow/ckpt-2.varve", 2, 20);
    large[1] = 0;
    resume(&w);
    cr_assert_eq(w.value, 20);
    cr_assert_eq(large[1], 1);
    world_end(&w);
}

TEST(levels, receive_the_later_save_of_a_number)
{
    struct world w;
    const varve_manager_options options = {
        WITH(one), .number_by_step = true
    };
    levels_begin(&w, &options);
    world_save(&w, 10);
    levels_drain(&w);
    check_copy(&w, "slow/ckpt-10.varve", 1, 10);
    w.value = 11;
    varve_error error;
    cr_assert_ok(varve_manager_save(w.manager, 10, &error), error);
    levels_drain(&w);
    check_copy(&w, "slow/ckpt-10.varve", 2, 10);
    remove_all(&w, "run");
    resume(&w);
    cr_assert_eq(w.value, 11);
    world_end(&w);
}

TEST(levels, receive_asynchronous_saves)
{
    struct world w;
    varve_error error;
    const varve_manager_options options = { WITH(one), .async = true };
    levels_begin(&w, &options);
    world_save(&w, 10);
    world_save(&w, 20);
    levels_drain(&w);
    check_copy(&w, "slow/ckpt-2.varve", 2, 20);
    world_save(&w, 30);
    cr_assert_ok(varve_manager_wait(w.manager, &error), error);
    levels_drain(&w);
    check_copy(&w, "slow/ckpt-3.varve", 3, 30);
    world_end(&w);
}

/* --- Checkpoints of an earlier manager ---------------------------------- */

TEST(levels, an_interrupted_copy_is_made_by_the_next_manager)
{
    for (int by_save = 0; by_save < 2; by_save++) {
        struct world w;
        varve_manager_options o = { WITH(one), .may_start_new_run = true };
        levels_begin(&w, &o);
        w.may_warn = true;
        gate_refuse(EIO);
        world_save(&w, 10);
        world_save(&w, 20);
        gate_refuse(0);
        world_stop(&w);
        cr_assert_not(is_there(&w, "slow/ckpt-2.varve"));
        world_start(&w, &o);
        if (by_save)
            world_save(&w, 30);
        else
            resume(&w);
        levels_drain(&w);
        check_copy(&w,
            by_save ? "slow/ckpt-3.varve" : "slow/ckpt-2.varve",
            by_save ? 3 : 2, by_save ? 30 : 20);
        cr_assert_not(is_there(&w, "slow/ckpt-1.varve"), "so much may wait");
        cr_assert_eq(level_state(&w, 0).left_out, 0);
        world_end(&w);
    }
}

TEST(levels, pending_limit_applies_to_copies_left_by_a_manager)
{
    struct world w;
    const varve_level levels[] = {
        { .directory = "slow", .max_pending = 2, .every_steps = 20 },
        { .directory = "late", .every_seconds = 60 },
    };
    const varve_manager_options options = { WITH(levels) };
    levels_begin(&w, NULL);
    for (int64_t step = 10; step <= 70; step += 10)
        world_save(&w, step);
    world_again(&w, &options);
    resume(&w);
    levels_drain(&w);
    cr_assert_not(is_there(&w, "slow/ckpt-2.varve"));
    cr_assert(is_there(&w, "slow/ckpt-4.varve"));
    cr_assert(is_there(&w, "slow/ckpt-6.varve"));
    cr_assert_not(is_there(&w, "slow/ckpt-7.varve"));
    cr_assert_not(is_there(&w, "late/ckpt-6.varve"));
    cr_assert(is_there(&w, "late/ckpt-7.varve"));
    /* Checkpoints that the tier has deleted are not copied again. */
    world_again(&w, &options);
    resume(&w);
    levels_drain(&w);
    cr_assert_not(is_there(&w, "slow/ckpt-2.varve"));
    cr_assert_eq(level_state(&w, 0).copied, 0);
    world_end(&w);
}

/* --- Resuming ----------------------------------------------------------- */

/* Creates three checkpoints in both directories; no copy is pending. */
static void begin_with_three(
    struct world *w, const varve_manager_options *options)
{
    levels_begin(w, options);
    for (int64_t step = 10; step <= 30; step += 10) {
        world_save(w, step);
        levels_drain(w);
    }
    world_again(w, options);
}

static const char *resumed_from(const struct world *w)
{
    return varve_restoration_path(varve_manager_restoration(w->manager));
}

TEST(levels, are_used_to_resume_if_the_directory_is_lost)
{
    struct world w;
    const varve_manager_options options = { WITH(one) };
    begin_with_three(&w, &options);
    remove_all(&w, "run");
    world_again(&w, &options);
    resume(&w);
    cr_assert_eq(w.value, 30);
    cr_assert_str_eq(resumed_from(&w), "slow/ckpt-3.varve");
    cr_assert_null(varve_manager_skipped(w.manager, 0));
    world_save(&w, 40);
    cr_assert_str_eq(varve_manager_latest(w.manager), "run/ckpt-4.varve");
    world_end(&w);
}

/* No other checkpoint contains the values trained under the old name. */
TEST(levels, keep_the_resumed_checkpoint_until_fully_restored)
{
    struct world w;
    float other = 42;
    static const varve_level kept[] = { { .directory = "slow", .keep_last = 1 },
        { .directory = "slower", .keep_last = 1 } };
    const varve_manager_options options = { WITH(kept) };
    levels_begin(&w, &options);
    varve_add_variable(
        varve_graph_root(w.graph), "other", varve_scalar(&other));
    world_save(&w, 10);
    levels_drain(&w);
    remove_all(&w, "run");
    world_again(&w, &options);
    resume(&w);
    cr_assert_str_eq(resumed_from(&w), "slow/ckpt-1.varve");
    for (int64_t step = 20; step <= 40; step += 10) {
        world_save(&w, step);
        levels_drain(&w);
    }
    cr_assert(is_there(&w, "slow/ckpt-1.varve"));
    cr_assert_not(is_there(&w, "slow/ckpt-3.varve"), "the policy goes on");
    cr_assert_not(is_there(&w, "slower/ckpt-1.varve"), "a copy of it");
    other = 0;
    varve_add_variable(
        varve_graph_root(w.graph), "other", varve_scalar(&other));
    cr_assert_eq(other, 42);
    world_save(&w, 50);
    levels_drain(&w);
    cr_assert_not(is_there(&w, "slow/ckpt-1.varve"));
    cr_assert(is_there(&w, "slow/ckpt-5.varve"));
    world_end(&w);
}

/* Numbers of the tier are not used again, even without a resume. */
TEST(levels, reserve_their_numbers_without_a_resume)
{
    struct world w;
    const varve_manager_options options = { WITH(one) };
    begin_with_three(&w, &options);
    remove_all(&w, "run");
    world_again(&w, &options);
    world_save(&w, 40);
    cr_assert_str_eq(varve_manager_latest(w.manager), "run/ckpt-4.varve");
    levels_drain(&w);
    check_copy(&w, "slow/ckpt-3.varve", 3, 30);
    check_copy(&w, "slow/ckpt-4.varve", 4, 40);
    world_end(&w);
}

TEST(levels, are_used_to_resume_if_the_newest_is_damaged)
{
    struct world w;
    const varve_manager_options options = { WITH(one) };
    begin_with_three(&w, &options);
    damage(&w, "run/ckpt-3.varve");
    resume(&w);
    cr_assert_eq(w.value, 30);
    cr_assert_str_eq(resumed_from(&w), "slow/ckpt-3.varve");
    cr_assert(strstr(
        varve_manager_skipped(w.manager, 0), "run/ckpt-3.varve"));
    cr_assert_null(varve_manager_skipped(w.manager, 1));
    world_end(&w);
}

TEST(levels, the_newest_and_of_equal_ones_the_fastest_is_resumed)
{
    struct world w;
    const varve_manager_options options = { WITH(two) };
    begin_with_three(&w, &options);
    resume(&w);
    cr_assert_str_eq(resumed_from(&w), "run/ckpt-3.varve");
    damage(&w, "run/ckpt-3.varve");
    damage(&w, "slow/ckpt-3.varve");
    resume(&w);
    cr_assert_eq(w.value, 20);
    cr_assert_str_eq(resumed_from(&w), "run/ckpt-2.varve");
    cr_assert(strstr(
        varve_manager_skipped(w.manager, 1), "slow/ckpt-3.varve"));
    damage(&w, "run/ckpt-2.varve");
    damage(&w, "slow/ckpt-2.varve");
    resume(&w);
    cr_assert_eq(w.value, 20);
    cr_assert_str_eq(resumed_from(&w), "far/away/ckpt-2.varve");
    world_end(&w);
}

TEST(levels, a_level_that_cannot_be_listed_is_skipped_if_allowed)
{
    struct world w;
    varve_error error;
    varve_manager_options options = { WITH(one) };
    begin_with_three(&w, &options);
    remove_all(&w, "slow");
    memory_put(w.memory, "slow", "no directory", 12);
    world_again(&w, &options);
    cr_assert(strstr(level_state(&w, 0).failure, "slow"));
    cr_assert_neq(varve_manager_resume(w.manager, &error), VARVE_OK);
    cr_assert(strstr(error.message, "slow"), "%s", error.message);
    cr_assert(strstr(error.message, "may_resume_older"), "%s", error.message);
    options.may_resume_older = true;
    world_again(&w, &options);
    resume(&w);
    cr_assert_eq(w.value, 30);
    cr_assert(strstr(varve_manager_skipped(w.manager, 0), "slow"));
    /* It may contain the only intact checkpoint. */
    remove_all(&w, "run");
    cr_assert_neq(varve_manager_resume(w.manager, &error), VARVE_OK);
    cr_assert(strstr(error.message, "slow"), "%s", error.message);
    const struct vv_system *s = memory_system(w.memory);
    s->remove(s->state, VV_WORKING_DIRECTORY, "slow");
    resume(&w);
    cr_assert_null(varve_manager_restoration(w.manager));
    world_end(&w);
}

/* A first run, whose directory is empty, may start if that is allowed. */
TEST(levels, a_run_may_start_without_a_listing_if_allowed)
{
    struct world w;
    varve_error error;
    varve_manager_options options = { WITH(one) };
    levels_begin(&w, &options);
    memory_put(w.memory, "slow", "no directory", 12);
    cr_assert_neq(varve_manager_resume(w.manager, &error), VARVE_OK);
    cr_assert(strstr(error.message, "may_resume_older"), "%s", error.message);
    options.may_resume_older = true;
    world_again(&w, &options);
    resume(&w);
    cr_assert_null(varve_manager_restoration(w.manager));
    const char *warning = varve_manager_warning(w.manager);
    cr_assert(warning &&
                  strstr(warning,
                      "there was no checkpoint, so the run started from the") &&
                  strstr(warning, "slow"),
        "%s", warning ? warning : "none");
    memory_put(w.memory, "run/ckpt.ledger", "was one", 7);
    cr_assert_neq(varve_manager_resume(w.manager, &error), VARVE_OK);
    cr_assert(strstr(error.message, "slow"), "%s", error.message);
    world_end(&w);
}

/* --- Waiting ------------------------------------------------------------ */

TEST(levels, drain_waits_at_most_for_its_timeout)
{
    struct world w;
    varve_error error = { 0 };
    const varve_manager_options options = { WITH(one) };
    levels_begin(&w, &options);
    cr_assert_ok(varve_manager_drain(w.manager, 0, &error), error);
    gate_close();
    world_save(&w, 10);
    cr_assert_eq(varve_manager_drain(w.manager, 0, &error), VARVE_TIMEOUT);
    cr_assert_str_eq(error.message,
        "slow: timed out: 1 copy is pending, the oldest of "
        "run/ckpt-1.varve");
    cr_assert_eq(level_state(&w, 0).waiting, 1);
    gate_open();
    levels_drain(&w);
    error.status = VARVE_OK;
    cr_assert_eq(varve_manager_drain(NULL, 0, &error), VARVE_MISUSE);
    world_end(&w);
}

TEST(levels, a_failing_level_does_not_stop_another)
{
    struct world w;
    varve_error error;
    const varve_manager_options options = { WITH(two) };
    levels_begin(&w, &options);
    w.may_warn = true;
    memory_put(w.memory, "slow", "no directory", 12);
    world_save(&w, 20);
    cr_assert_neq(varve_manager_drain(w.manager, -1, &error), VARVE_OK);
    cr_assert(strstr(error.message, "slow: copy of run/ckpt-1.varve failed"));
    check_copy(&w, "far/away/ckpt-1.varve", 1, 20);
    cr_assert_null(level_state(&w, 1).failure);
    cr_assert_str_eq(level_state(&w, 0).failure, error.message);
    world_end(&w);
}

/* --- Processes and options ---------------------------------------------- */

TEST(levels, belong_to_the_parent_after_a_fork)
{
    struct world w;
    varve_error error;
    const varve_manager_options options = { WITH(one) };
    levels_begin(&w, &options);
    gate_close();
    world_save(&w, 10);
    gate_await(1);
    gate.process = 2;
    world_save(&w, 20);
    cr_assert_eq(varve_manager_drain(w.manager, -1, &error), VARVE_CANCELLED);
    cr_assert(strstr(level_state(&w, 0).failure, "forked"));
    gate.process = 1;
    gate_open();
    levels_drain(&w);
    cr_assert(is_there(&w, "slow/ckpt-1.varve"));
    cr_assert_not(is_there(&w, "slow/ckpt-2.varve"));
    world_end(&w);
}

static void refuse(const varve_manager_options *options, varve_node *root,
    varve_status status)
{
    varve_error error;
    cr_assert_null(varve_manager_new(root, "run", options, &error));
    cr_assert_eq(error.status, status, "%s", error.message);
}

TEST(levels, must_be_different_directories)
{
    struct world w;
    levels_begin(&w, NULL);
    const varve_level none[] = { { .keep_last = 1 } };
    const varve_level own[] = { { .directory = "run" } };
    const varve_level same[] = { one[0], one[0] };
    static int later;
    const varve_level new[] = {
        { .directory = "slow", .reserved.words[7] = &later }
    };
    refuse(&(varve_manager_options){ WITH(none) }, w.root, VARVE_MISUSE);
    refuse(&(varve_manager_options){ WITH(own) }, w.root, VARVE_MISUSE);
    refuse(&(varve_manager_options){ WITH(same) }, w.root, VARVE_MISUSE);
    refuse(&(varve_manager_options){ WITH(new) }, w.root, VARVE_TOO_NEW);
    refuse(&(varve_manager_options){ .level_count = 1 }, w.root, VARVE_MISUSE);
    world_end(&w);
}

/* --- Memory ------------------------------------------------------------- */

TEST(levels, leak_nothing_without_memory)
{
    const varve_manager_options options = { WITH(two) };
    bool is_done = false;
    for (long n = 0; !is_done; n++) {
        struct world w;
        varve_error error = { 0 };
        levels_begin(&w, NULL);
        w.may_warn = true;
        world_save(&w, 10);
        varve_manager_free(w.manager);
        test_fail_allocation(n, false);
        w.manager = varve_manager_new(w.root, "run", &options, &error);
        if (w.manager && !varve_manager_resume(w.manager, &error) &&
            !varve_manager_save(w.manager, 20, &error))
            (void)!varve_manager_drain(w.manager, -1, &error);
        is_done = test_allocation_count() <= n;
        test_fail_allocation(-1, false);
        cr_assert(!error.status || error.status == VARVE_NO_MEMORY, "%ld: %s",
            n, error.message);
        if (is_done)
            cr_assert_eq(error.status, VARVE_OK, "%s", error.message);
        if (w.manager && !error.status) {
            world_save(&w, 40);
            levels_drain(&w);
            cr_assert(is_there(&w, "slow/ckpt-3.varve"), "%ld", n);
        }
        world_end(&w);
    }
}
