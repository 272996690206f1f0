/* test_resume_match.c - Tests the comparison of a resumed checkpoint with the
 * program.
 *
 * SPDX-License-Identifier: MIT
 */
#include "manage_world.h"

#include "ranks_manager.h"

/* Creates three checkpoints of "old", then a program that has "new" instead. */
struct renamed {
    struct world w;
    float old, fresh;
    varve_node *root;
};

static void renamed_begin(
    struct renamed *r, const varve_manager_options *options)
{
    varve_error error;
    *r = (struct renamed){ .old = 42 };
    world_begin(&r->w, options);
    r->root = varve_graph_root(r->w.graph);
    varve_add_variable(r->root, "old", varve_scalar(&r->old));
    for (int step = 10; step <= 30; step += 10)
        world_save(&r->w, step);
    world_again(&r->w, options);
    r->root = varve_graph_root(r->w.graph);
    varve_add_variable(r->root, "new", varve_scalar(&r->fresh));
    cr_assert_ok(varve_manager_resume(r->w.manager, &error), error);
}

static bool renamed_has(struct renamed *r, const char *path)
{
    size_t size;
    return memory_bytes(r->w.memory, path, &size) != NULL;
}

static const varve_manager_options strict = { .strict = true, .keep_last = 1 };
static const varve_manager_options lenient = { .keep_last = 1 };

TEST(resume_match, is_checked_by_the_first_save_that_is_due)
{
    struct renamed r;
    varve_error error;
    varve_manager_options options = strict;
    options.interval_steps = 10;
    renamed_begin(&r, &options);
    cr_assert_ok(varve_manager_save(r.w.manager, 31, &error), error);
    cr_assert_eq(varve_manager_save(r.w.manager, 40, &error), VARVE_UNMATCHED);
    cr_assert(strstr(error.message, "run: "), "%s", error.message);
    const char *hint = strstr(error.message, "\nhint: ");
    const char *old = strstr(error.message, "\n  old ");
    const char *fresh = strstr(error.message, "\n  new ");
    cr_assert(old && fresh && hint, "%s", error.message);
    cr_assert(old < hint && fresh < hint, "the hint is last");
    cr_assert(
        strstr(error.message, " is unexpected, 1 of "), "%s", error.message);
    cr_assert(strstr(error.message, " is missing\n"), "%s", error.message);
    cr_assert_not(renamed_has(&r, "run/ckpt-4.varve"));
    cr_assert_eq(
        varve_manager_assert_consumed(r.w.manager, &error), VARVE_UNMATCHED);
    /* The check is repeated until it succeeds, and then no longer. */
    varve_remove(varve_find(r.root, "new"));
    cr_assert_eq(varve_manager_save(r.w.manager, 40, &error), VARVE_UNMATCHED);
    varve_add_variable(r.root, "old", varve_scalar(&r.fresh));
    cr_assert_eq(r.fresh, 42);
    cr_assert_ok(varve_manager_save(r.w.manager, 40, &error), error);
    cr_assert(renamed_has(&r, "run/ckpt-4.varve"));
    varve_add_variable(r.root, "later", varve_scalar(&r.old));
    cr_assert_ok(varve_manager_save(r.w.manager, 50, &error), error);
    world_end(&r.w);
}

TEST(resume_match, is_checked_by_finish_resume_except_expected_paths)
{
    struct renamed r;
    varve_error error;
    const varve_read_options read = { .expect = { .missing = "new",
                                          .unexpected = "old" } };
    varve_manager_options options = strict;
    renamed_begin(&r, &options);
    cr_assert_eq(
        varve_manager_finish_resume(r.w.manager, &error), VARVE_UNMATCHED);
    varve_restoration *found = varve_manager_restoration(r.w.manager);
    cr_assert_eq(varve_pending_count(found), 1, "nothing was given up");
    world_end(&r.w);
    options.read = &read;
    renamed_begin(&r, &options);
    cr_assert_ok(varve_manager_finish_resume(r.w.manager, &error), error);
    cr_assert_ok(varve_manager_save(r.w.manager, 40, &error), error);
    world_end(&r.w);
}

TEST(resume_match, is_not_checked_without_a_resume)
{
    struct world w;
    varve_error error = { 0 };
    world_begin(&w, &strict);
    cr_assert_ok(varve_manager_assert_consumed(w.manager, &error), error);
    cr_assert_ok(varve_manager_resume(w.manager, &error), error);
    cr_assert_ok(varve_manager_finish_resume(w.manager, &error), error);
    world_save(&w, 10);
    cr_assert_eq(varve_manager_assert_consumed(NULL, &error), VARVE_MISUSE);
    world_end(&w);
}

static bool says_why(struct renamed *r, uint64_t number)
{
    varve_checkpoint_info m;
    for (size_t i = 0; varve_manager_at(r->w.manager, i, &m); i++)
        if (m.number == number)
            return m.kept && strstr(m.kept, "not all of it was taken");
    return false;
}

/* No other checkpoint contains the values trained under the old name. */
TEST(resume_match, keeps_the_resumed_checkpoint_until_fully_restored)
{
    struct renamed r;
    varve_error error;
    renamed_begin(&r, &lenient);
    for (int step = 40; step <= 60; step += 10)
        world_save(&r.w, step);
    cr_assert_ok(varve_manager_prune(r.w.manager, &error), error);
    cr_assert(renamed_has(&r, "run/ckpt-3.varve"));
    cr_assert(says_why(&r, 3));
    cr_assert_not(renamed_has(&r, "run/ckpt-5.varve"), "the policy goes on");
    varve_add_variable(r.root, "old", varve_scalar(&r.old));
    world_save(&r.w, 70);
    cr_assert_not(renamed_has(&r, "run/ckpt-3.varve"));
    cr_assert(renamed_has(&r, "run/ckpt-7.varve"));
    world_end(&r.w);
}

TEST(resume_match, ends_protection_when_pending_values_are_dropped)
{
    struct renamed r;
    varve_error error;
    for (int how = 0; how < 2; how++) {
        renamed_begin(&r, &lenient);
        world_save(&r.w, 40);
        cr_assert(renamed_has(&r, "run/ckpt-3.varve"));
        varve_restoration *found = varve_manager_restoration(r.w.manager);
        if (how == 0)
            cr_assert_ok(varve_drop_pending(found, "old", &error), error);
        else
            cr_assert_ok(
                varve_manager_finish_resume(r.w.manager, &error), error);
        cr_assert_ok(varve_manager_prune(r.w.manager, &error), error);
        cr_assert_not(renamed_has(&r, "run/ckpt-3.varve"));
        world_end(&r.w);
    }
}

TEST(resume_match, saves_nothing_without_memory)
{
    long failed = 0;
    for (long n = 0;; n++) {
        struct renamed r;
        varve_error error = { 0 };
        renamed_begin(&r, n % 2 ? &strict : &lenient);
        test_fail_allocation(n / 2, false);
        varve_status status =
            varve_manager_assert_consumed(r.w.manager, &error);
        bool hit = test_allocation_count() > n / 2;
        test_fail_allocation(-1, false);
        cr_assert(status == VARVE_UNMATCHED || status == VARVE_NO_MEMORY);
        failed += status == VARVE_NO_MEMORY;
        cr_assert(renamed_has(&r, "run/ckpt-3.varve"));
        world_end(&r.w);
        if (!hit)
            break;
    }
    cr_assert_gt(failed, 3);
}

/* --- Several processes ---------------------------------------------------- */

/* Rank 1 has a variable that the other ranks and the file lack. */
static void go_on_with_more(struct rank *r, const void *user)
{
    float more = 0;
    make(r, user);
    resume(r);
    if (r->number == 1)
        varve_add_variable(r->root, "more", varve_scalar(&more));
    note_status(
        r, "assert", varve_manager_assert_consumed(r->manager, &r->error));
    note_status(
        r, "settle", varve_manager_finish_resume(r->manager, &r->error));
    save(r, r->step + 1);
    if (r->number == 1)
        varve_remove(varve_find(r->root, "more"));
    save(r, r->step + 1);
}

TEST(resume_match, of_many_processes_fails_on_all_if_one_differs)
{
    begin_disk();
    run_ranks(3, save_three, &plain);
    const char *notes = run_ranks(3, go_on_with_more, &strict);
    check_has(notes, "assert: VARVE_UNMATCHED");
    check_has(notes, "settle: VARVE_UNMATCHED");
    check_has(notes, "save: VARVE_UNMATCHED");
    check_has(notes, "more");
    check_has(notes, "saved run/ckpt-4.varve");
    cr_assert_not(has_file("run/ckpt-5.varve"));
    end_disk();
}

/* No program has the step, which only rank 2 does not expect. No save takes its
 * value along. */
static void leave_one(struct rank *r, const void *user)
{
    (void)user;
    const varve_read_options expects = { .expect.unexpected = "step" };
    const varve_write_options write = { .pending = VARVE_PENDING_OMIT };
    make(r, &(varve_manager_options){ .keep_last = 1,
                .write = &write,
                .read = r->number == 2 ? NULL : &expects });
    varve_remove(varve_find(r->root, "step"));
    note_status(r, "resume", varve_manager_resume(r->manager, &r->error));
    save(r, 100);
    look_around(r);
    if (r->number == 2)
        note_status(r, "drop",
            varve_drop_pending(
                varve_manager_restoration(r->manager), NULL, &r->error));
    else
        note_status(r, "drop", VARVE_OK);
    save(r, 101);
    look_around(r);
}

TEST(resume_match, of_many_processes_protects_the_checkpoint_for_all)
{
    begin_disk();
    run_ranks(3, save_three, &plain);
    const char *notes = run_ranks(3, leave_one, NULL);
    check_has(notes, "not all of it was taken");
    cr_assert_not(has_file("run/ckpt-3.varve"), "it was given up");
    cr_assert_not(has_file("run/ckpt-4.varve"));
    cr_assert(has_file("run/ckpt-5.varve"));
    end_disk();
}

/* Rank 2 maps the step to the root of the file, which also has a step. */
static void rename_on_one(struct rank *r, const void *user)
{
    (void)user;
    const varve_rename rename = { "step", "" };
    const varve_read_options read = { .rename.list = &rename,
        .rename.count = 1 };
    make(r, &(varve_manager_options){
                .keep_last = 1, .read = r->number == 2 ? &read : NULL });
    note_status(r, "resume", varve_manager_resume(r->manager, &r->error));
    save(r, 100);
}

TEST(resume_match, of_many_processes_fails_if_a_rename_of_one_is_ambiguous)
{
    begin_disk();
    run_ranks(3, save_three, &plain);
    const char *notes = run_ranks(3, rename_on_one, NULL);
    check_has(notes, "save: VARVE_UNMATCHED: rank 2: run/ckpt-3.varve: the "
                     "rename of \"step\" to \"\" is ambiguous");
    cr_assert(has_file("run/ckpt-3.varve"));
    cr_assert_not(has_file("run/ckpt-4.varve"));
    end_disk();
}

TEST(resume_match, of_many_processes_ends_if_one_is_lost)
{
    begin_disk();
    run_ranks(3, save_three, &plain);
    long calls = run_ranks_until(3, -1, go_on_with_more, &strict);
    for (long n = 0; n < calls; n++)
        run_ranks_until(3, n, go_on_with_more, &strict);
    end_disk();
}
