/* test_lineage.c - Tests the lineage of runs, and the order of checkpoints that
 * follows from it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <errno.h>
#include <stdio.h>

#include "level_world.h"
#include "lineage.h"

static const varve_level slow[] = { { .directory = "slow" } };
static const varve_level last[] = { { .directory = "slow", .keep_last = 1 } };

/* A program with its own graph and directory; programs run one after the
 * other. */
struct program {
    struct world *w;
    const char *directory;
    varve_manager_options options;
};

static struct program program(struct world *w, const char *directory)
{
    return (struct program){ .w = w,
        .directory = directory,
        .options = {
            .keep_last = 1, .levels = last, .level_count = 1 } };
}

/* Ends the previous program and starts this one: its manager is w->manager. */
static void start(const struct program *p)
{
    varve_error error = { 0 };
    struct world *w = p->w;
    world_stop(w);
    w->graph = vv_graph_new_in(&w->context);
    w->root = varve_graph_root(w->graph);
    varve_add_variable(w->root, "value", varve_scalar(&w->value));
    w->manager =
        varve_manager_new(w->root, p->directory, &p->options, &error);
    cr_assert(w->manager, "%s", error.message);
}

static void save(struct world *w, int64_t step)
{
    varve_error error = { 0 };
    w->value = (float)step;
    cr_assert_ok(varve_manager_save(w->manager, step, &error), error);
    cr_assert_ok(varve_manager_drain(w->manager, -1, &error), error);
}

/* Resumes, and then saves some steps. */
static void go_on(const struct program *p, int64_t step, int count)
{
    start(p);
    resume(p->w);
    for (int i = 0; i < count; i++)
        save(p->w, step + i);
}

static void begin(struct world *w)
{
    levels_begin(w, NULL);
    w->may_warn = true;
}

/* Creates a run, and another one that resumed from it and saved more. The
 * checkpoint of the second run from which the third one resumed is gone. */
static void make_forks(struct world *w)
{
    struct program one = program(w, "run"), other = program(w, "other");
    go_on(&one, 10, 1);
    go_on(&other, 100, 4);
    go_on(&other, 200, 1);
    cr_assert_not(is_there(w, "slow/ckpt-5.varve"));
    cr_assert(is_there(w, "slow/ckpt-6.varve"));
}

TEST(lineage, a_fork_is_skipped_if_checkpoints_between_are_missing)
{
    struct world w;
    begin(&w);
    make_forks(&w);
    struct program one = program(&w, "run");
    one.options.level_count = 0;
    go_on(&one, 11, 1);
    cr_assert(is_there(&w, "run/ckpt-2.varve"));
    one.options.level_count = 1;
    start(&one);
    resume(&w);
    cr_assert_eq(w.value, 11);
    cr_assert(strstr(varve_manager_skipped(w.manager, 0),
        "skipped: it belongs to run"));
    world_end(&w);
}

TEST(lineage, a_descendant_is_used_if_checkpoints_between_are_missing)
{
    struct world w;
    begin(&w);
    make_forks(&w);
    struct program one = program(&w, "run"), other = program(&w, "other");
    for (int i = 0; i < 20; i++)
        go_on(&other, 300 + i, 1);
    start(&one);
    resume(&w);
    cr_assert_eq(w.value, 319);
    cr_assert_null(varve_manager_skipped(w.manager, 0));
    world_end(&w);
}

/* Two calls fail, the second one at each place in turn. */
TEST(lineage, a_fork_that_is_read_at_the_second_attempt_is_skipped)
{
    struct world w;
    begin(&w);
    make_forks(&w);
    struct program one = program(&w, "run");
    one.options.level_count = 0;
    go_on(&one, 11, 1);
    one.options.level_count = 1;
    one.options.read_only = true;
    bool was_hit = true;
    for (long n = 0; was_hit; n++) {
        varve_error error = { 0 };
        faulty_plan(w.faulty, NULL);
        start(&one);
        faulty_plan(w.faulty, &(struct faulty_plan){ .number = n,
            .kinds = FAULTY_OPEN, .error = EIO,
            .second = n + 1, .second_error = EIO });
        if (!varve_manager_resume(w.manager, &error))
            cr_assert_eq(w.value, 11, "call %ld", n);
        was_hit = faulty_hit(w.faulty);
    }
    faulty_plan(w.faulty, NULL);
    world_end(&w);
}

/* --- Beyond the recorded ancestors -------------------------------------- */

static size_t count_of(const char *text, char c)
{
    size_t count = 0;
    for (; *text; text++)
        count += *text == c;
    return count;
}

/* "run" was resumed often, and "other" once, before that. */
static void make_many(struct world *w)
{
    struct program one = program(w, "run"), other = program(w, "other");
    go_on(&one, 10, 1);
    other.options.level_count = 1;
    start(&other);
    resume(w);
    other.options.levels = NULL;
    other.options.level_count = 0;
    save(w, 100);
    remove_all(w, "slow");
    for (int i = 0; i < VV_MOST_ANCESTORS + 8; i++)
        go_on(&one, 11 + i, 1);
}

TEST(lineage, metadata_of_a_run_resumed_often_is_bounded)
{
    struct world w;
    begin(&w);
    make_many(&w);
    struct program one = program(&w, "run");
    start(&one);
    resume(&w);
    const varve_metadata *m = varve_restoration_metadata(
        varve_manager_restoration(w.manager), "varve.parent");
    cr_assert(m);
    cr_assert_eq(count_of(m->string, ':'), VV_MOST_ANCESTORS - 1);
    world_end(&w);
}

TEST(lineage, a_missing_record_is_an_error)
{
    struct world w;
    varve_error error = { 0 };
    begin(&w);
    make_many(&w);
    struct program other = program(&w, "other");
    start(&other);
    w.value = -1;
    cr_assert_eq(varve_manager_resume(w.manager, &error), VARVE_EXISTS);
    cr_assert_eq(w.value, -1);
    cr_assert(strstr(error.message, "may_resume_older"), "%s", error.message);
    cr_assert(strstr(error.message, "slow/ckpt-41.varve"), "%s",
        error.message);
    other.options.may_resume_older = true;
    start(&other);
    resume(&w);
    cr_assert_eq(w.value, 100);
    cr_assert(strstr(varve_manager_skipped(w.manager, 0), "resumed more"));
    other.options.may_resume_older = false;
    varve_manager_free(w.manager);
    w.manager = NULL;
    remove_all(&w, "other");
    start(&other);
    resume(&w);
    cr_assert_eq(w.value, 50);
    world_end(&w);
}

/* The tier has a checkpoint with more ancestors. */
TEST(lineage, ancestors_are_taken_from_listed_checkpoints)
{
    struct world w;
    begin(&w);
    struct program one = program(&w, "run"), other = program(&w, "other");
    one.options.levels = other.options.levels = slow;
    go_on(&one, 10, 1);
    for (int i = 0; i < VV_MOST_ANCESTORS + 8; i++)
        go_on(&other, 11 + i, 1);
    start(&one);
    resume(&w);
    cr_assert_eq(w.value, 50);
    world_end(&w);
}

/* --- Run names given by the program ------------------------------------- */

TEST(lineage, a_named_run_keeps_its_parent)
{
    struct world w;
    begin(&w);
    varve_checkpoint_info before, after;
    struct program one = program(&w, "run");
    go_on(&one, 10, 1);
    one.options.run = "named";
    go_on(&one, 20, 1);
    cr_assert(varve_manager_at(w.manager, 0, &before));
    cr_assert_neq(before.parent, 0);
    uint64_t parent = before.parent;
    go_on(&one, 30, 1);
    cr_assert(varve_manager_at(w.manager, 0, &after));
    cr_assert_eq(after.number, 3);
    cr_assert_eq(after.parent, parent);
    world_end(&w);
}

/* --- Without locks ------------------------------------------------------ */

static int no_lock(void *state, int file)
{
    (void)state;
    (void)file;
    return -ENOSYS;
}

static void begin_without_locks(struct world *w)
{
    begin(w);
    gate.system.lock = gate.system.share_lock = no_lock;
}

static varve_manager *second_manager(
    struct world *w, varve_graph **graph, const varve_manager_options *options)
{
    static float value = 7;
    varve_error error = { 0 };
    *graph = vv_graph_new_in(&w->context);
    varve_add_variable(
        varve_graph_root(*graph), "value", varve_scalar(&value));
    varve_manager *m = varve_manager_new(
        varve_graph_root(*graph), "run", options, &error);
    cr_assert(m, "%s", error.message);
    return m;
}

TEST(lineage, without_locks_a_step_of_another_program_is_not_replaced)
{
    struct world w;
    varve_error error = { 0 };
    varve_graph *graph;
    const varve_manager_options by_step = {
        .number_by_step = true, .may_start_new_run = true
    };
    begin_without_locks(&w);
    world_again(&w, &by_step);
    world_save(&w, 10);
    world_save(&w, 10);
    varve_manager *other = second_manager(&w, &graph, &by_step);
    cr_assert_eq(varve_manager_save(other, 10, &error), VARVE_EXISTS);
    cr_assert(!strstr(error.message, "taken over"), "%s", error.message);
    cr_assert_ok(varve_manager_save(other, 20, &error), error);
    w.value = 20;
    cr_assert_eq(varve_manager_save(w.manager, 20, &error), VARVE_EXISTS);
    cr_assert(strstr(error.message, "taken over"), "%s", error.message);
    varve_manager_free(other);
    varve_graph_free(graph);
    world_end(&w);
}

TEST(lineage, without_locks_a_pin_of_another_program_is_kept)
{
    struct world w;
    varve_error error = { 0 };
    varve_graph *graph;
    begin_without_locks(&w);
    world_again(&w, NULL);
    varve_manager *other = second_manager(&w, &graph, NULL);
    cr_assert_ok(vv_manager_make_pin(other, 1, &error), error);
    world_save(&w, 10);
    cr_assert(is_there(&w, "run/ckpt-1.pin"));
    varve_manager_free(other);
    varve_graph_free(graph);
    world_end(&w);
}
