/* test_manager.c - Tests a directory of checkpoints of one run, as with
 * TensorFlow. Test names begin with rows of docs/conformance.md.
 *
 * SPDX-License-Identifier: MIT
 */
#include "managed.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *name_of(const char *path)
{
    return path ? strrchr(path, '/') + 1 : "none";
}

TEST(manager, m2_m3_m27_saves_are_listed_by_path_after_reopening)
{
    struct program p;
    start(&p, (varve_manager_options){ 0 });
    cr_assert_null(varve_manager_latest(p.manager));
    for (int step = 0; step < 3; step++)
        cr_assert(save(&p, step));
    cr_assert_str_eq(varve_manager_latest(p.manager),
        test_path("run/ckpt-3.varve"));
    stop(&p);
    start(&p, (varve_manager_options){ 0 });
    resume(&p);
    cr_assert_eq(p.v, 2);
    stop(&p);
}

TEST(manager, m6_m7_a_directory_may_be_renamed_between_runs)
{
    struct program p;
    char from[512], to[512];
    start(&p, (varve_manager_options){ .keep_last = 2 });
    save(&p, 1);
    save(&p, 2);
    stop(&p);
    snprintf(from, sizeof from, "%s", test_path("run"));
    snprintf(to, sizeof to, "%s", test_path("moved"));
    cr_assert_eq(rename(from, to), 0);
    start_in(&p, "moved", (varve_manager_options){ .keep_last = 2 });
    resume(&p);
    cr_assert_eq(p.v, 2);
    save(&p, 3);
    must_have(&p, "2 3");
    stop(&p);
}

TEST(manager, m8_an_empty_or_damaged_ledger_is_rebuilt)
{
    static const char *const ledgers[] = { "", "varve ledger 1\n",
        "varve ledger 99\n1 2 3\n" };
    for (size_t i = 0; i < sizeof ledgers / sizeof *ledgers; i++) {
        struct program p;
        start(&p, (varve_manager_options){ .keep_last = 2 });
        resume(&p);
        save(&p, 1);
        save(&p, 2);
        stop(&p);
        test_write_file(
            test_path("run/ckpt.ledger"), ledgers[i], strlen(ledgers[i]));
        start(&p, (varve_manager_options){ .keep_last = 2 });
        resume(&p);
        cr_assert_eq(p.v, 2);
        cr_assert(find(&p, varve_save_counter(p.root)).is_ours);
        save(&p, 3);
        cr_assert_eq(varve_manager_count(p.manager), 2);
        stop(&p);
    }
}

static void save_scored(struct program *p, int step, double metric)
{
    varve_error error = { 0 };
    p->v = (float)step;
    cr_assert_ok(varve_manager_save_with(p->manager, step,
                     &(varve_manager_save_options){
                         .has_metric = true, .metric = metric },
                     &error),
        error);
}

TEST(manager, retention_options_are_recorded_in_the_ledger)
{
    struct program p;
    varve_error error = { 0 };
    start(&p, (varve_manager_options){ .keep_last = 1, .keep_best = 1,
                  .best_is_larger = true, .metric = "accuracy" });
    save_scored(&p, 1, 0.25);
    save_scored(&p, 2, 0.75);
    save_scored(&p, 3, 0.5);
    must_have(&p, "2 3");
    stop(&p);
    start(&p, (varve_manager_options){ .retention_from_ledger = true });
    cr_assert_str_eq(find(&p, 2).kept, "best 1 (accuracy 0.75)");
    cr_assert_eq(find(&p, 3).metric, 0.5);
    stop(&p);
    start(&p, (varve_manager_options){
                  .retention_from_ledger = true, .keep_last = 1 });
    cr_assert_null(find(&p, 2).kept, "what is said alone counts");
    cr_assert_ok(varve_manager_prune(p.manager, &error), error);
    must_have(&p, "3");
    stop(&p);
    start(&p, (varve_manager_options){ .retention_from_ledger = true });
    cr_assert_str_eq(find(&p, 3).kept, "last 1, best 1 (accuracy 0.5)",
        "who prunes otherwise once leaves the note as it is");
    stop(&p);
    start(&p, (varve_manager_options){
        .keep_best = 1, .metric = "loss", .may_change_metric = true });
    cr_assert(isnan(find(&p, 3).metric), "it is not the loss");
    stop(&p);
}

TEST(manager, retention_without_recorded_options_deletes_nothing)
{
    struct program p;
    varve_error error = { 0 };
    start(&p, (varve_manager_options){ .keep_last = 1 });
    save(&p, 1);
    stop(&p);
    cr_assert_eq(remove(test_path("run/ckpt.ledger")), 0);
    start(&p, (varve_manager_options){ .retention_from_ledger = true });
    cr_assert_ok(varve_manager_prune(p.manager, &error), error);
    resume(&p);
    save(&p, 2);
    must_have(&p, "1 2");
    stop(&p);
}

TEST(manager, without_its_ledger_pins_and_best_checkpoints_are_kept)
{
    struct program p;
    varve_error error = { 0 };
    varve_manager_options o = {
        .keep_last = 1, .keep_best = 1, .metric = "loss"
    };
    start(&p, o);
    for (int i = 1; i <= 4; i++) {
        varve_manager_save_options s = {
            .has_metric = true, .metric = i == 2 ? 0.25 : i
        };
        save_with(&p, i, &s);
        if (i == 1)
            cr_assert_ok(varve_manager_pin(p.manager, 1, &error), error);
    }
    must_have(&p, "1 2 4");
    stop(&p);
    cr_assert_eq(remove(test_path("run/ckpt.ledger")), 0);
    start(&p, o);
    resume(&p);
    save(&p, 5);
    must_have(&p, "1 2 5");
    cr_assert(find(&p, 1).is_pinned);
    cr_assert_eq(find(&p, 2).metric, 0.25);
    cr_assert_ok(varve_manager_unpin(p.manager, 1, &error), error);
    cr_assert_ok(varve_manager_prune(p.manager, &error), error);
    must_have(&p, "2 5");
    stop(&p);
}

TEST(manager, m10_m12_a_deleted_checkpoint_leaves_no_file)
{
    struct program p;
    start_in(&p, ".", (varve_manager_options){ .keep_last = 1 });
    for (int step = 1; step <= 5; step++)
        save(&p, step);
    must_have(&p, "5");
    cr_assert_eq(test_file_count(), 3, "the file, the ledger and the lock");
    stop(&p);
}

TEST(manager, m14_m15_the_first_save_and_not_opening_deletes)
{
    struct program p;
    start(&p, (varve_manager_options){ 0 });
    for (int step = 1; step <= 4; step++)
        save(&p, step);
    must_have(&p, "1 2 3 4");
    stop(&p);
    start(&p, (varve_manager_options){ .keep_last = 3 });
    must_have(&p, "1 2 3 4");
    resume(&p);
    must_have(&p, "1 2 3 4");
    save(&p, 5);
    must_have(&p, "3 4 5");
    stop(&p);
}

TEST(manager, m20_checkpoints_of_others_are_resumed_and_never_deleted)
{
    struct program p;
    varve_error error = { 0 };
    start(&p, (varve_manager_options){ .keep_last = 2 });
    for (int i = 1; i <= 2; i++) {
        p.v = (float)i;
        cr_assert_ok(
            varve_save(p.root, test_path("run/ckpt"), &fast, &error), error);
    }
    stop(&p);
    start(&p, (varve_manager_options){ .keep_last = 2 });
    resume(&p);
    cr_assert_eq(p.v, 2);
    cr_assert_eq(varve_save_counter(p.root), 2);
    for (int step = 3; step <= 5; step++)
        save(&p, step);
    must_have(&p, "1 2 4 5");
    cr_assert_not(find(&p, 1).is_ours);
    cr_assert(find(&p, 4).is_ours);
    stop(&p);
}

TEST(manager, m24_explicit_numbers_and_a_counter_of_saves)
{
    struct program p;
    start(&p, (varve_manager_options){
        .keep_last = 2, .number_by_step = true });
    for (int step = 0; step <= 8; step += 2)
        cr_assert(save(&p, step));
    must_have(&p, "6 8");
    cr_assert_eq(varve_save_counter(p.root), 5);
    cr_assert(save_with(&p, 9, &(varve_manager_save_options){ .number = 32 }));
    must_have(&p, "8 32");
    cr_assert_str_eq(
        name_of(varve_manager_latest(p.manager)), "ckpt-32.varve");
    stop(&p);
}

TEST(manager, a_directory_stands_for_its_newest_checkpoint_not_the_highest)
{
    struct program p;
    char path[512];
    varve_error error;
    start(&p, (varve_manager_options){ .number_by_step = true });
    cr_assert(save(&p, 2));
    cr_assert(save(&p, 8));
    cr_assert(save(&p, 4));
    cr_assert_ok(varve_latest(test_path("run"), path, sizeof path, &error),
        error);
    cr_assert_str_eq(name_of(path), "ckpt-4.varve");
    stop(&p);
    start_in(&p, "other", (varve_manager_options){ 0 });
    varve_restoration *r =
        varve_restore(p.root, test_path("run"), NULL, &error);
    cr_assert(r, "%s", error.message);
    cr_assert_str_eq(name_of(varve_restoration_path(r)), "ckpt-4.varve");
    varve_restoration_free(r);
    stop(&p);
}

static varve_status initialize(void *user)
{
    *(float *)user = 2;
    return VARVE_OK;
}

TEST(manager, m26_a_fresh_start_initializes_and_a_resume_does_not)
{
    struct program p;
    varve_manager_options o = {
        .initialize = initialize, .initialize_user = &p.v
    };
    start(&p, o);
    resume(&p);
    cr_assert_eq(p.v, 2);
    cr_assert_null(varve_manager_restoration(p.manager));
    cr_assert_eq(test_file_count(), 1, "a resume writes nothing: the lock");
    save(&p, 7);
    stop(&p);
    start(&p, o);
    resume(&p);
    cr_assert_eq(p.v, 7);
    cr_assert_str_eq(
        name_of(varve_restoration_path(varve_manager_restoration(p.manager))),
        "ckpt-1.varve");
    stop(&p);
}

TEST(manager, m28_saves_are_due_by_steps)
{
    struct program p;
    start(&p, (varve_manager_options){ .interval_steps = 2 });
    cr_assert_not(save(&p, 1));
    cr_assert(save(&p, 2));
    cr_assert_not(save(&p, 3));
    cr_assert(save(&p, 4));
    cr_assert_not(save(&p, 4));
    cr_assert_not(save(&p, 5));
    cr_assert(save_with(&p, 5, &(varve_manager_save_options){ .force = true }));
    must_have(&p, "1 2 3");
    cr_assert(save(&p, 1), "a step that goes backwards is due");
    stop(&p);
}

TEST(manager, m30_the_resumed_step_is_not_saved_again)
{
    struct program p;
    start(&p, (varve_manager_options){ .interval_steps = 2 });
    cr_assert(save(&p, 2));
    stop(&p);
    start(&p, (varve_manager_options){ .interval_steps = 2 });
    resume(&p);
    cr_assert_not(save(&p, 2));
    cr_assert_not(save(&p, 3));
    cr_assert(save(&p, 4));
    stop(&p);
}

static void must_refuse(varve_node *root, const char *directory,
    varve_manager_options options, varve_status status)
{
    varve_error error = { 0 };
    varve_manager *m = varve_manager_new(root, directory, &options, &error);
    cr_assert_null(m);
    cr_assert_eq(error.status, status, "%s", error.message);
    cr_assert(story_is_one_line(&error));
}

TEST(manager, m35_wrong_arguments_are_refused)
{
    struct program p;
    varve_error error = { 0 };
    start(&p, (varve_manager_options){ 0 });
    const char *run = test_path("run");
    must_refuse(NULL, run, (varve_manager_options){ 0 }, VARVE_MISUSE);
    must_refuse(p.root, NULL, (varve_manager_options){ 0 }, VARVE_MISUSE);
    must_refuse(p.root, "", (varve_manager_options){ 0 }, VARVE_MISUSE);
    must_refuse(p.root, run, (varve_manager_options){ .prefix = "a/b" },
        VARVE_BAD_NAME);
    must_refuse(p.root, run, (varve_manager_options){ .prefix = "" },
        VARVE_BAD_NAME);
    cr_assert_eq(varve_manager_save(p.manager, -1, &error), VARVE_MISUSE);
    cr_assert_eq(varve_manager_save(NULL, 1, &error), VARVE_MISUSE);
    cr_assert_eq(varve_manager_resume(NULL, &error), VARVE_MISUSE);
    cr_assert_eq(varve_manager_pin(p.manager, 4, &error), VARVE_NOT_FOUND);
    varve_manager_free(NULL);
    varve_manager_request_save(NULL);
    stop(&p);
}
