/* test_manager_save.c - Tests saves of a manager.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "manage_world.h"
#include "system.h"

static const int64_t second = 1000000000;

static const char *saved(struct world *w)
{
    const char *path = varve_manager_saved(w->manager);
    return path ? strrchr(path, '/') + 1 : "nothing";
}

static const char *save(struct world *w, int64_t step)
{
    world_save(w, step);
    return saved(w);
}

TEST(manager_save, every_save_is_due_without_an_interval)
{
    struct world w;
    world_begin(&w, NULL);
    cr_assert_str_eq(save(&w, 0), "ckpt-1.varve");
    cr_assert_str_eq(save(&w, 0), "ckpt-2.varve");
    cr_assert_eq(varve_save_counter(w.root), 2);
    world_end(&w);
}

TEST(manager_save, is_due_after_an_interval_of_steps)
{
    struct world w;
    varve_error error;
    world_begin(&w, &(varve_manager_options){ .interval_steps = 2 });
    cr_assert_str_eq(save(&w, 0), "nothing");
    cr_assert_str_eq(save(&w, 1), "nothing");
    cr_assert_str_eq(save(&w, 2), "ckpt-1.varve");
    cr_assert_str_eq(save(&w, 2), "nothing");
    cr_assert_str_eq(save(&w, 3), "nothing");
    cr_assert_str_eq(save(&w, 5), "ckpt-2.varve", "4 was left out");
    cr_assert_str_eq(save(&w, 6), "ckpt-3.varve");
    cr_assert_str_eq(save(&w, 1), "ckpt-4.varve", "it went backwards");
    varve_manager_save_options force = { .force = true };
    cr_assert_ok(
        varve_manager_save_with(w.manager, 1, &force, &error), error);
    cr_assert_str_eq(saved(&w), "ckpt-5.varve");
    cr_assert_str_eq(save(&w, INT64_MAX), "ckpt-6.varve");
    world_end(&w);
}

/* Checks the saves of 100 steps with an interval of 10, in steps of one and
 * three. */
TEST(manager_save, is_due_at_multiples_or_the_first_step_after_them)
{
    for (int by = 1; by <= 3; by += 2) {
        struct world w;
        int64_t next = 10;
        world_begin(&w, &(varve_manager_options){ .interval_steps = 10 });
        for (int64_t step = by; step <= 100; step += by) {
            bool is_due = step >= next;
            cr_assert_eq(varve_manager_is_due(w.manager, step), is_due);
            cr_assert_eq(strcmp(save(&w, step), "nothing") != 0, is_due);
            next += is_due ? 10 : 0;
        }
        cr_assert_eq(varve_manager_count(w.manager), by == 1 ? 10 : 9);
        world_end(&w);
    }
}

TEST(manager_save, with_a_too_large_interval_is_due_only_after_a_step_back)
{
    struct world w;
    world_begin(&w, &(varve_manager_options){ .interval_steps = INT64_MAX });
    varve_error error;
    cr_assert_str_eq(save(&w, INT64_MAX - 1), "nothing");
    varve_manager_save_options force = { .force = true };
    cr_assert_ok(
        varve_manager_save_with(w.manager, 7, &force, &error), error);
    cr_assert_str_eq(save(&w, 6), "ckpt-2.varve");
    world_end(&w);
}

TEST(manager_save, is_due_after_an_interval_of_time_if_the_clock_is_set)
{
    struct world w;
    world_begin(&w, &(varve_manager_options){ .interval_seconds = 60 });
    const struct vv_system *s = w.context.system;
    cr_assert_str_eq(save(&w, 0), "ckpt-1.varve");
    s->sleep(s->state, 59 * second);
    cr_assert_str_eq(save(&w, 1), "nothing");
    memory_set_now(w.memory, 1000 * second);
    cr_assert_str_eq(save(&w, 1), "nothing", "the clock jumped");
    memory_set_now(w.memory, 0);
    s->sleep(s->state, second);
    cr_assert_str_eq(save(&w, 2), "ckpt-2.varve");
    world_end(&w);
}

TEST(manager_save, a_request_makes_the_next_one_due)
{
    struct world w;
    world_begin(&w, &(varve_manager_options){ .interval_steps = 100 });
    cr_assert_str_eq(save(&w, 100), "ckpt-1.varve");
    varve_manager_request_save(w.manager);
    cr_assert(varve_manager_is_due(w.manager, 101));
    cr_assert_str_eq(save(&w, 101), "ckpt-2.varve");
    cr_assert_not(varve_manager_is_due(w.manager, 102));
    world_end(&w);
}

TEST(manager_save, a_failed_save_uses_neither_interval_nor_number)
{
    struct world w;
    varve_error error;
    world_begin(&w, &(varve_manager_options){ .interval_steps = 2 });
    cr_assert_str_eq(save(&w, 2), "ckpt-1.varve");
    faulty_plan(w.faulty, &(struct faulty_plan){
        .kinds = FAULTY_WRITE, .error = ENOSPC, .sticky = true });
    cr_assert_eq(varve_manager_save(w.manager, 4, &error), VARVE_NO_SPACE);
    cr_assert_str_eq(saved(&w), "nothing");
    faulty_plan(w.faulty, NULL);
    cr_assert_str_eq(save(&w, 5), "ckpt-2.varve");
    world_end(&w);
}

TEST(manager_save, numbers_by_step_and_orders_by_counter)
{
    struct world w;
    varve_error error;
    varve_manager_options options = { .number_by_step = true, .keep_last = 2 };
    world_begin(&w, &options);
    cr_assert_str_eq(save(&w, 1000), "ckpt-1000.varve");
    cr_assert_str_eq(save(&w, 3000), "ckpt-3000.varve");
    cr_assert_str_eq(save(&w, 2000), "ckpt-2000.varve");
    cr_assert_str_eq(
        varve_manager_latest(w.manager), "run/ckpt-2000.varve");
    cr_assert_str_eq(save(&w, 2000), "ckpt-2000.varve", "it is replaced");
    cr_assert_eq(varve_save_counter(w.root), 4);
    world_again(&w, &options);
    cr_assert_ok(varve_manager_resume(w.manager, &error), error);
    cr_assert_eq(w.value, 2000);
    world_end(&w);
}

TEST(manager_save, accepts_an_unused_number_of_the_caller)
{
    struct world w;
    varve_error error;
    varve_manager_save_options options = { .number = 32 };
    world_begin(&w, NULL);
    cr_assert_str_eq(save(&w, 0), "ckpt-1.varve");
    cr_assert_ok(
        varve_manager_save_with(w.manager, 1, &options, &error), error);
    cr_assert_str_eq(saved(&w), "ckpt-32.varve");
    cr_assert_eq(varve_manager_save_with(w.manager, 2, &options, &error),
        VARVE_EXISTS);
    cr_assert_str_eq(save(&w, 2), "ckpt-33.varve");
    world_end(&w);
}

TEST(manager_save, a_nan_metric_is_never_best)
{
    struct world w;
    varve_error error;
    varve_checkpoint_info managed;
    static const double losses[] = { 0.5, NAN, 0.75 };
    world_begin(&w, &(varve_manager_options){ .keep_best = 1 });
    for (int i = 0; i < 3; i++) {
        varve_manager_save_options options = {
            .has_metric = true, .metric = losses[i]
        };
        cr_assert_ok(varve_manager_save_with(
                         w.manager, i, &options, &error), error);
    }
    world_save(&w, 3); /* without any */
    cr_assert_eq(varve_manager_count(w.manager), 2);
    cr_assert(varve_manager_at(w.manager, 0, &managed));
    cr_assert_eq(managed.metric, 0.5);
    cr_assert_str_eq(managed.kept, "best 1 (metric 0.5)");
    cr_assert(varve_manager_at(w.manager, 1, &managed));
    cr_assert(isnan(managed.metric));
    world_end(&w);
}

TEST(manager_save, a_full_disk_after_the_checkpoint_is_a_warning)
{
    struct world w;
    varve_error error;
    world_begin(&w, &(varve_manager_options){ .keep_last = 1 });
    world_save(&w, 1);
    faulty_plan(w.faulty, &(struct faulty_plan){
        .kinds = FAULTY_REMOVE, .error = EIO, .sticky = true });
    cr_assert_ok(varve_manager_save(w.manager, 2, &error), error);
    cr_assert(varve_manager_warning(w.manager));
    cr_assert(strstr(varve_manager_warning(w.manager), "ckpt-1.varve"));
    faulty_plan(w.faulty, NULL);
    world_save(&w, 3);
    cr_assert_eq(varve_manager_count(w.manager), 1);
    cr_assert_eq(memory_file_count(w.memory), 3, "with ledger and lock");
    world_end(&w);
}

TEST(manager_save, a_deletion_that_is_not_durable_is_a_warning)
{
    bool hit = true;
    int warnings = 0;
    for (long n = 0; hit; n++) {
        struct world w;
        world_begin(&w, &(varve_manager_options){ .keep_last = 1 });
        world_save(&w, 1);
        faulty_plan(w.faulty, &(struct faulty_plan){
            .number = n, .kinds = FAULTY_SYNC_DIRECTORY, .error = EIO });
        varve_status status = varve_manager_save(w.manager, 2, NULL);
        const char *warning = varve_manager_warning(w.manager);
        hit = faulty_hit(w.faulty);
        faulty_plan(w.faulty, NULL);
        cr_assert_eq(hit, status || warning, "%ld", n);
        warnings += warning && strstr(warning, "files were deleted, but sync");
        world_end(&w);
    }
    cr_assert_eq(warnings, 1);
}

/* A save that is not durable deletes nothing, and does not count as the newest
 * intact one. */
TEST(manager_save, deletes_nothing_after_a_save_that_is_not_durable)
{
    struct world w;
    varve_write_options lost = { .no_sync = true };
    varve_manager_options options = { .keep_last = 1 };
    varve_error error = { 0 };
    world_begin(&w, &options);
    world_save(&w, 1);
    options.write = &lost;
    world_again(&w, &options);
    cr_assert_ok(varve_manager_resume(w.manager, &error), error);
    world_save(&w, 2);
    world_save(&w, 3);
    cr_assert_eq(varve_manager_count(w.manager), 3);
    options.write = NULL;
    world_again(&w, &options);
    cr_assert_ok(varve_manager_resume(w.manager, &error), error);
    world_save(&w, 4);
    cr_assert_eq(varve_manager_count(w.manager), 1);
    world_end(&w);
}

static bool has(struct world *w, const char *path)
{
    size_t size;
    return memory_bytes(w->memory, path, &size) != NULL;
}

/* Before any call: if the checkpoint exists, its pin does too. */
static void check_pin(void *user)
{
    struct world *w = user;
    for (int way = 0; way < 4; way++) {
        struct memory *left =
            memory_after_power_cut(w->memory, way & 1, way & 2);
        struct world cut = { .memory = left };
        cr_assert(!has(&cut, "run/ckpt-2.varve") ||
            has(&cut, "run/ckpt-2.pin"));
        memory_free(left);
    }
}

TEST(manager_save, a_pinned_checkpoint_never_exists_without_its_pin)
{
    bool hit = true;
    for (long n = 0; hit; n++) {
        struct world w;
        varve_error error;
        varve_manager_save_options pin = { .pin = true };
        world_begin(&w, &(varve_manager_options){ .keep_last = 1 });
        world_save(&w, 1);
        faulty_plan(w.faulty, &(struct faulty_plan){ .number = n,
            .way = FAULTY_STOPS, .stop = check_pin, .user = &w });
        cr_assert_ok(
            varve_manager_save_with(w.manager, 2, &pin, &error), error);
        hit = faulty_hit(w.faulty);
        check_pin(&w);
        faulty_plan(w.faulty, NULL);
        world_save(&w, 3);
        world_save(&w, 4);
        cr_assert_eq(varve_manager_count(w.manager), 2);
        world_end(&w);
    }
}

/* After any failure no checkpoint exists without its pin. */
TEST(manager_save, a_checkpoint_whose_pin_fails_is_not_saved)
{
    bool hit = true;
    for (long n = 0; hit; n++) {
        struct world w;
        varve_error error;
        varve_manager_save_options pin = { .pin = true };
        world_begin(&w, &(varve_manager_options){ .keep_last = 1 });
        world_save(&w, 1);
        faulty_plan(w.faulty, &(struct faulty_plan){
            .number = n, .error = EIO, .kinds = FAULTY_CREATE |
            FAULTY_RENAME | FAULTY_SYNC | FAULTY_SYNC_DIRECTORY });
        varve_status status =
            varve_manager_save_with(w.manager, 2, &pin, &error);
        hit = faulty_hit(w.faulty);
        faulty_plan(w.faulty, NULL);
        cr_assert(!has(&w, "run/ckpt-2.varve") || has(&w, "run/ckpt-2.pin"));
        if (status && status != VARVE_UNKNOWN_OUTCOME)
            cr_assert_not(has(&w, "run/ckpt-2.pin"), "%ld", n);
        world_end(&w);
    }
}

TEST(manager_save, a_pin_left_by_a_killed_save_pins_nothing)
{
    struct world w;
    world_begin(&w, &(varve_manager_options){ .keep_last = 1 });
    memory_put(w.memory, "run/ckpt-1.pin", "", 0);
    world_save(&w, 1);
    world_save(&w, 2);
    cr_assert_eq(varve_manager_count(w.manager), 1);
    world_end(&w);
}

TEST(manager_save, skips_numbers_of_names_that_are_not_files)
{
    struct world w;
    world_begin(&w, &(varve_manager_options){ .keep_last = 1 });
    cr_assert_str_eq(save(&w, 1), "ckpt-1.varve");
    const struct vv_system *s = w.context.system;
    s->make_directory(s->state, VV_WORKING_DIRECTORY, "run/ckpt-2.varve");
    cr_assert_str_eq(save(&w, 2), "ckpt-3.varve");
    world_end(&w);
}

/* --- Incremental saves ---------------------------------------------------- */

static size_t count_layers(struct world *w)
{
    size_t count = 0;
    for (size_t i = 0; i < memory_file_count(w->memory); i++)
        count += strstr(memory_file_path(w->memory, i), "/layers/") != NULL;
    return count;
}

TEST(manager_save, shares_data_files_and_deletes_unreferenced_ones)
{
    static const varve_write_options incremental = { .incremental = true };
    struct world w;
    world_begin(&w, &(varve_manager_options){
        .keep_last = 2, .write = &incremental });
    for (int step = 1; step <= 6; step++) {
        save(&w, step);
        cr_assert_leq(count_layers(&w), 2, "step %d", step);
    }
    cr_assert_null(varve_manager_warning(w.manager));
    cr_assert_eq(count_layers(&w), 2);
    world_end(&w);
}

/* --- Asynchronous saves --------------------------------------------------- */

static void check_value(struct world *w, const char *name, float value)
{
    varve_error error = { 0 };
    char path[64];
    snprintf(path, sizeof path, "run/%s", name);
    varve_restoration *r = varve_read(w->root, path, NULL, &error);
    cr_assert(r, "%s", error.message);
    varve_restoration_free(r);
    cr_assert_eq(w->value, value);
}

static void save_async(struct world *w, int64_t step)
{
    world_save(w, step);
    w->value = -1;
}

TEST(manager_save, asynchronous_save_has_the_values_of_its_call)
{
    struct world w;
    varve_error error = { 0 };
    world_begin(&w, &(varve_manager_options){ .async = true, .keep_last = 2 });
    for (int step = 1; step < 5; step++)
        save_async(&w, step);
    cr_assert_ok(varve_manager_wait(w.manager, &error), error);
    cr_assert_str_eq(saved(&w), "ckpt-4.varve");
    cr_assert_eq(varve_manager_count(w.manager), 2);
    cr_assert_eq(varve_save_counter(w.root), 4);
    check_value(&w, "ckpt-3", 3);
    check_value(&w, "ckpt-4", 4);
    cr_assert_ok(varve_manager_wait(w.manager, &error), error);
    world_end(&w);
}

TEST(manager_save, asynchronous_save_completes_before_other_calls)
{
    struct world w;
    varve_error error = { 0 };
    varve_manager_options options = { .async = true, .number_by_step = true };
    world_begin(&w, &options);
    save_async(&w, 7);
    cr_assert_ok(varve_manager_pin(w.manager, 7, &error), error);
    save_async(&w, 7); /* takes the place of the first one */
    cr_assert_ok(varve_manager_unpin(w.manager, 7, &error), error);
    save_async(&w, 8);
    cr_assert_ok(varve_manager_resume(w.manager, &error), error);
    cr_assert_eq(w.value, 8);
    save_async(&w, 9);
    cr_assert_ok(varve_manager_refresh(w.manager, &error), error);
    cr_assert_eq(varve_manager_count(w.manager), 3);
    save_async(&w, 10);
    cr_assert_ok(varve_manager_prune(w.manager, &error), error);
    cr_assert_eq(varve_manager_count(w.manager), 4);
    save_async(&w, 11);
    world_again(&w, &options); /* and its end */
    cr_assert_eq(varve_manager_count(w.manager), 5);
    cr_assert_ok(varve_manager_resume(w.manager, &error), error);
    save_async(&w, 12);
    varve_graph_free(w.graph); /* and that of its graph */
    w.graph = NULL;
    cr_assert_ok(varve_manager_wait(w.manager, &error), error);
    cr_assert_str_eq(saved(&w), "ckpt-12.varve");
    world_end(&w);
}

TEST(manager_save, failed_asynchronous_save_is_reported_and_not_counted)
{
    for (int i = 0; i < 2; i++) {
        struct world w;
        varve_error error = { 0 };
        world_begin(&w,
            &(varve_manager_options){ .async = true, .interval_steps = 100 });
        save_async(&w, 100);
        cr_assert_ok(varve_manager_wait(w.manager, &error), error);
        faulty_plan(w.faulty,
            &(struct faulty_plan){ .sticky = true,
                .kinds = FAULTY_RENAME_NEW, .error = ENOSPC });
        varve_manager_save_options pin = { .pin = true };
        varve_manager_request_save(w.manager);
        cr_assert_ok(
            varve_manager_save_with(w.manager, 101, &pin, &error), error);
        cr_assert(!varve_manager_is_due(w.manager, 102));
        varve_status status = VARVE_OK;
        if (i == 0)
            status = varve_manager_wait(w.manager, &error);
        for (int k = 0; i == 1 && !status && k < 100000; k++)
            status = varve_manager_save(w.manager, 102, &error);
        cr_assert_eq(status, VARVE_NO_SPACE, "%s", error.message);
        cr_assert(
            strstr(error.message, "asynchronous save failed: run/ckpt-2"));
        cr_assert(varve_manager_is_due(w.manager, 102), "it was asked for");
        faulty_plan(w.faulty, NULL);
        cr_assert_ok(varve_manager_wait(w.manager, &error), error);
        world_save(&w, 102);
        cr_assert_ok(varve_manager_wait(w.manager, &error), error);
        cr_assert_str_eq(saved(&w), "ckpt-2.varve");
        varve_checkpoint_info managed;
        cr_assert(varve_manager_at(w.manager, 1, &managed));
        cr_assert(!managed.is_pinned);
        world_end(&w);
    }
}

TEST(manager_save, unreported_asynchronous_failure_is_an_error_of_the_graph)
{
    for (int i = 0; i < 2; i++) {
        struct world w;
        varve_error error = { 0 };
        world_begin(&w, &(varve_manager_options){ .async = true });
        memory_set_capacity(w.memory, 0);
        if (i == 0)
            save_async(&w, 0);
        memory_set_capacity(w.memory, i == 0 ? 0 : UINT64_MAX);
        varve_manager_free(w.manager);
        w.manager = NULL;
        memory_set_capacity(w.memory, UINT64_MAX);
        varve_status status = varve_write(w.root, "x.varve", NULL, &error);
        cr_assert_eq(status, i == 0 ? VARVE_NO_SPACE : VARVE_OK);
        cr_assert(i || strstr(error.message, "asynchronous save failed: run/"));
        cr_assert_ok(varve_write(w.root, "x.varve", NULL, &error), error);
        world_end(&w);
    }
}

static atomic_bool is_held;

static int hold(void *user, uint64_t done, uint64_t total, const char *what)
{
    (void)user;
    (void)done;
    (void)total;
    (void)what;
    while (atomic_load(&is_held))
        sched_yield();
    return 0;
}

static int64_t own_process(void *state, char *machine, size_t size)
{
    (void)state;
    (void)machine;
    (void)size;
    return getpid();
}

/* The pin of a pending save of the parent belongs to the parent. */
TEST(manager_save, pending_save_is_not_undone_by_a_child_process)
{
    const varve_write_options write = { .progress = hold };
    const varve_manager_save_options pin = { .pin = true };
    struct world w;
    varve_error error = { 0 };
    varve_checkpoint_info managed;
    int status = 0;
    w.memory = memory_new();
    w.faulty = faulty_new(memory_system(w.memory));
    struct vv_system system = *faulty_system(w.faulty);
    system.process = own_process;
    w.context = test_context(&system);
    world_start(&w, &(varve_manager_options){ .async = true, .write = &write });
    atomic_store(&is_held, true);
    cr_assert_ok(varve_manager_save_with(w.manager, 0, &pin, &error), error);
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        size_t size;
        varve_manager_free(w.manager);
        _exit(memory_bytes(w.memory, "run/ckpt-1.pin", &size) ? 0 : 1);
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    atomic_store(&is_held, false);
    cr_assert_ok(varve_manager_wait(w.manager, &error), error);
    cr_assert(varve_manager_at(w.manager, 0, &managed));
    cr_assert(managed.is_pinned);
    world_end(&w);
}

TEST(manager_save, asynchronous_save_fails_without_memory)
{
    struct world w;
    varve_status status = VARVE_NO_MEMORY;
    world_begin(&w, &(varve_manager_options){ .async = true });
    for (long n = 0; status; n++) {
        varve_error error = { 0 };
        w.value = 5;
        test_fail_allocation(n, false);
        status = varve_manager_save(w.manager, 1, &error);
        w.value = 6;
        if (!status)
            status = varve_manager_wait(w.manager, &error);
        test_fail_allocation(-1, false);
        cr_assert(!status || status == VARVE_NO_MEMORY);
    }
    check_value(&w, "ckpt-1", 5);
    world_end(&w);
}
