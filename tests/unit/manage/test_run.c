/* test_run.c - Tests varve_run.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "ranks_manager.h"
#include "run.h"
#include "support/faulty_system.h"

struct place {
    struct memory *memory;
    struct faulty *faulty;
    struct vv_context context;
};

static void place_begin(struct place *p)
{
    p->memory = memory_new();
    p->faulty = faulty_new(memory_system(p->memory));
    p->context = test_context(faulty_system(p->faulty));
}

static void place_end(struct place *p)
{
    cr_assert_eq(memory_open_count(p->memory), 0);
    faulty_free(p->faulty);
    memory_free(p->memory);
}

/* Runs a program for a number of steps; sets *step to the last one. */
static varve_status live(const struct place *p,
    const varve_run_options *options, int64_t steps, int64_t *step,
    varve_error *error)
{
    varve_run *run = vv_run_new_in(&p->context);
    *step = 0;
    varve_add_variable(varve_run_root(run), "step", varve_scalar(step));
    varve_run_open(run, "run", options);
    while (*step < steps && varve_run_should_continue(run))
        varve_run_step(run, ++*step);
    return varve_run_end(run, error);
}

static bool is_there(const struct place *p, const char *path)
{
    size_t size;
    return memory_bytes(p->memory, path, &size) != NULL;
}

TEST(run, saves_steps_that_are_due_and_the_last_one)
{
    struct place p;
    varve_error error;
    int64_t step;
    varve_run_options options = { .manager = { .interval_steps = 10,
                                      .number_by_step = true } };
    place_begin(&p);
    cr_assert_ok(live(&p, &options, 25, &step, &error), error);
    cr_assert(is_there(&p, "run/ckpt-10.varve"));
    cr_assert(is_there(&p, "run/ckpt-20.varve"));
    cr_assert(is_there(&p, "run/ckpt-25.varve"), "the last");
    cr_assert_not(is_there(&p, "run/ckpt-1.varve"));
    options.skip_final_save = true;
    cr_assert_ok(live(&p, &options, 28, &step, &error), error);
    cr_assert_eq(step, 28, "it went on from 25");
    cr_assert_not(is_there(&p, "run/ckpt-28.varve"));
    place_end(&p);
}

/* An additional save would use another number. */
static void lives_to_20(bool is_async)
{
    struct place p;
    varve_error error;
    int64_t step;
    const varve_run_options options = { .manager = { .interval_steps = 10,
                                            .async = is_async } };
    place_begin(&p);
    cr_assert_ok(live(&p, &options, 20, &step, &error), error);
    cr_assert(is_there(&p, "run/ckpt-2.varve"));
    cr_assert_not(is_there(&p, "run/ckpt-3.varve"));
    cr_assert_ok(live(&p, &options, 20, &step, &error), error);
    cr_assert_not(is_there(&p, "run/ckpt-3.varve"), "it was at its end");
    place_end(&p);
}

TEST(run, does_not_save_a_saved_step_again)
{
    lives_to_20(false);
    lives_to_20(true);
}

TEST(run, saves_the_last_step_with_its_metric)
{
    struct place p;
    varve_error error;
    varve_checkpoint_info last;
    float v = 0;
    const varve_run_options options = { .manager = {
        .interval_steps = 10 } };
    const varve_manager_save_options with = {
        .has_metric = true, .metric = 0.25 };
    place_begin(&p);
    varve_run *run = vv_run_new_in(&p.context);
    varve_add_variable(varve_run_root(run), "v", varve_scalar(&v));
    varve_run_open(run, "run", &options);
    varve_run_step_with(run, 3, &with);
    cr_assert_ok(varve_run_end(run, &error), error);
    run = vv_run_new_in(&p.context);
    varve_add_variable(varve_run_root(run), "v", varve_scalar(&v));
    varve_run_open(run, "run", &options);
    cr_assert(varve_manager_at(varve_run_manager(run), 0, &last));
    cr_assert_eq(last.metric, 0.25);
    cr_assert_eq(last.step, 3);
    cr_assert_ok(varve_run_end(run, &error), error);
    place_end(&p);
}

/* Runs a program that changes its value after the loop. */
static void lives_and_changes(
    const struct place *p, const varve_run_options *options, int64_t steps)
{
    varve_error error;
    int64_t step = 0;
    float v = 0;
    varve_run *run = vv_run_new_in(&p->context);
    varve_add_variable(varve_run_root(run), "v", varve_scalar(&v));
    varve_run_open(run, "run", options);
    step = varve_run_resumed_step(run);
    cr_assert_eq((int64_t)v, step, "the value is that of its step");
    while (step < steps && varve_run_should_continue(run)) {
        v = (float)++step;
        varve_run_step(run, step);
    }
    cr_assert_eq(step, steps);
    v = -1;
    cr_assert_ok(varve_run_end(run, &error), error);
}

TEST(run, saves_its_last_step_before_the_program_changes_it)
{
    struct place p;
    varve_run_options options = { .manager = { .interval_steps = 10,
                                      .number_by_step = true } };
    place_begin(&p);
    for (int64_t last = 13; last < 16; last++) {
        options.last_step = last;
        options.manager.async = last == 14;
        lives_and_changes(&p, &options, last);
    }
    lives_and_changes(&p, &options, 15);
    cr_assert(is_there(&p, "run/ckpt-13.varve"));
    cr_assert(is_there(&p, "run/ckpt-15.varve"));
    options.last_step = 18;
    options.skip_final_save = true;
    lives_and_changes(&p, &options, 18);
    cr_assert_not(is_there(&p, "run/ckpt-18.varve"));
    place_end(&p);
}

TEST(run, ends_its_loop_after_the_last_step)
{
    struct place p;
    varve_error error;
    int64_t step;
    varve_run_options options = { .last_step = 7 };
    place_begin(&p);
    cr_assert_ok(live(&p, &options, 1000, &step, &error), error);
    cr_assert_eq(step, 7);
    cr_assert_ok(live(&p, &options, 1000, &step, &error), error);
    cr_assert_eq(step, 7, "it was at its end");
    options.last_step = 3;
    cr_assert_ok(live(&p, &options, 1000, &step, &error), error);
    cr_assert_eq(step, 7, "it was behind its end");
    options.last_step = -1;
    cr_assert_eq(live(&p, &options, 1000, &step, &error), VARVE_MISUSE);
    cr_assert(strstr(error.message, "`last_step`"), "%s", error.message);
    place_end(&p);
}

TEST(run, fails_at_any_failed_allocation_and_can_be_resumed)
{
    const varve_run_options all[] = { { .manager = { .interval_steps = 2 } },
        { .manager = { .interval_steps = 2, .async = true } } };
    for (size_t i = 0; i < 2; i++) {
        long failed = 0;
        for (long n = 0;; n++) {
            struct place p;
            varve_error error = { 0 };
            int64_t step;
            place_begin(&p);
            test_fail_allocation(n, false);
            varve_status status = live(&p, &all[i], 5, &step, &error);
            bool hit = test_allocation_count() > n;
            test_fail_allocation(-1, false);
            cr_assert(!status || status == VARVE_NO_MEMORY, "%ld: %s", n,
                error.message);
            failed += status != VARVE_OK;
            cr_assert_ok(live(&p, &all[i], 5, &step, &error), error);
            cr_assert_eq(step, 5);
            place_end(&p);
            if (!hit)
                break;
        }
        cr_assert_gt(failed, 10);
    }
}

/* No disk error is lost: if success was reported, the last step exists. */
TEST(run, reports_each_failure_of_the_disk)
{
    const varve_run_options options = { .manager = { .interval_steps = 2 } };
    long failed = 0;
    for (long n = 0;; n++) {
        struct place p;
        varve_error error = { 0 };
        int64_t step;
        place_begin(&p);
        faulty_plan(p.faulty, &(struct faulty_plan){ .number = n,
            .kinds = FAULTY_ALL, .error = EIO });
        varve_status status = live(&p, &options, 5, &step, &error);
        bool hit = faulty_hit(p.faulty);
        faulty_plan(p.faulty, NULL);
        failed += status != VARVE_OK;
        varve_run_options none = { .skip_final_save = true };
        cr_assert(!live(&p, &none, 0, &step, &error) && (status || step == 5),
            "call %ld: at step %d", n, (int)step);
        place_end(&p);
        if (!hit)
            break;
    }
    cr_assert_gt(failed, 10);
}

/* Rank 1 receives a stop request in its third step, or opens a run that is
 * refused. */
static void run_of_rank(struct rank *r, const void *user)
{
    const varve_run_options options = { .manager = { .interval_steps = 100,
                                            .comm = r->comm } };
    const char *wish = user;
    float other = 0;
    varve_run *run = vv_run_new_in(&disk.context);
    varve_node *root = varve_run_root(run);
    if (strcmp(wish, "strange") != 0)
        varve_add_slice(root, "all", varve_array(r->mine, r->count),
            VARVE_SHAPE(disk.total), &r->first);
    else
        varve_add_variable(root, "other", varve_scalar(&other));
    varve_add_variable(varve_run_root(run),
        strcmp(wish, "strange") ? "step" : "stride", varve_scalar(&r->step));
    if (strcmp(wish, "mistake") == 0 && r->number == 1)
        varve_run_step(run, 1);
    varve_run_open(run, "run", &options);
    while (varve_run_should_continue(run)) {
        set_values(r, r->step + 1);
        if (r->number == 1 && r->step % 3 == 0)
            varve_run_stop(run);
        varve_run_step(run, r->step);
    }
    note(r, "step %d\n", (int)r->step);
    note_status(r, "end", varve_run_end(run, &r->error));
}

TEST(run, of_many_processes_stops_after_the_same_step)
{
    begin_disk();
    check_has(run_ranks(3, run_of_rank, "stop"), "step 3\nend: VARVE_OK");
    cr_assert(has_file("run/ckpt-1.varve"));
    check_has(run_ranks(2, run_of_rank, "stop"), "step 6\nend: VARVE_OK");
    check_has(run_ranks(3, run_of_rank, "mistake"), "end: VARVE_MISUSE");
    cr_assert_not(has_file("run/ckpt-3.varve"));
    check_has(run_ranks(3, run_of_rank, "strange"), "end: VARVE_UNMATCHED");
    cr_assert_not(has_file("run/ckpt-3.varve"));
    end_disk();
}

TEST(run, of_many_processes_ends_if_one_is_lost)
{
    begin_disk();
    long calls = run_ranks_until(3, -1, run_of_rank, "stop");
    for (long n = 0; n < calls; n++)
        run_ranks_until(3, n, run_of_rank, "stop");
    end_disk();
}
