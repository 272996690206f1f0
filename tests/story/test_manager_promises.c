/* test_manager_promises.c - Tests managers beyond TensorFlow's behavior: the
 * resumed checkpoint, retention, save intervals, and concurrent use.
 *
 * SPDX-License-Identifier: MIT
 */
#include "managed.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

/* --- Resuming ----------------------------------------------------------- */

TEST(manager, resumes_from_the_newest_intact_and_reports_skipped)
{
    struct program p;
    start(&p, (varve_manager_options){ 0 });
    for (int step = 1; step <= 4; step++)
        save(&p, step);
    stop(&p);
    damage("run/ckpt-4.varve");
    test_write_file(test_path("run/ckpt-3.varve"), "", 0);
    start(&p, (varve_manager_options){ .keep_last = 1 });
    resume(&p);
    cr_assert_eq(p.v, 2);
    const char *first = varve_manager_skipped(p.manager, 0);
    const char *then = varve_manager_skipped(p.manager, 1);
    cr_assert(first && strstr(first, "ckpt-4.varve"), "%s", first);
    cr_assert(then && strstr(then, "ckpt-3.varve"), "%s", then);
    cr_assert_null(varve_manager_skipped(p.manager, 2));
    cr_assert(find(&p, 4).is_damaged);
    stop(&p);
}

TEST(manager, the_newest_intact_one_outlives_a_newer_damaged_one)
{
    struct program p;
    varve_error error = { 0 };
    start(&p, (varve_manager_options){ 0 });
    for (int step = 1; step <= 3; step++)
        save(&p, step);
    stop(&p);
    damage("run/ckpt-3.varve");
    start(&p, (varve_manager_options){ .keep_last = 1 });
    cr_assert_ok(varve_manager_prune(p.manager, &error), error);
    cr_assert_eq(find(&p, 2).number, 2);
    stop(&p);
    start(&p, (varve_manager_options){ .keep_last = 1 });
    resume(&p);
    cr_assert_eq(p.v, 2);
    stop(&p);
}

TEST(manager, a_mismatch_does_not_resume_from_an_older_checkpoint)
{
    struct program p;
    varve_error error = { 0 };
    start(&p, (varve_manager_options){ 0 });
    save(&p, 1);
    stop(&p);
    double wide = 5;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_add_variable(root, "v", varve_scalar(&wide));
    varve_manager *m =
        varve_manager_new(root, test_path("run"), NULL, &error);
    cr_assert_eq(varve_manager_resume(m, &error), VARVE_MISMATCH);
    cr_assert_null(varve_manager_skipped(m, 0));
    cr_assert_eq(wide, 5);
    varve_manager_free(m);
    varve_graph_free(graph);
}

TEST(manager, variables_added_after_the_resume_are_restored)
{
    struct program p;
    varve_error error = { 0 };
    float late = 0;
    start(&p, (varve_manager_options){ 0 });
    float w = 3;
    story_add(p.root, "layer/w", &w);
    save(&p, 1);
    stop(&p);
    start(&p, (varve_manager_options){ 0 });
    resume(&p);
    story_add(p.root, "layer/w", &late);
    cr_assert_eq(late, 3);
    cr_assert_ok(varve_assert_consumed(
        varve_manager_restoration(p.manager), &error), error);
    varve_graph_free(p.graph);
    varve_manager_free(p.manager);
}

/* --- What stays --------------------------------------------------------- */

TEST(manager, every_kept_checkpoint_has_a_reason)
{
    struct program p;
    start(&p, (varve_manager_options){ .keep_last = 2, .keep_best = 1,
        .metric = "loss", .keep_every_steps = 100 });
    for (int i = 0; i < 8; i++)
        save_with(&p, 30 * i + 10,
            &(varve_manager_save_options){ .has_metric = true,
                .metric = i == 2 ? 0.125 : i + 1, .pin = i == 5 });
    must_have(&p, "1 3 4 6 7 8"); /* steps 10 70 100 160 190 220 */
    cr_assert(strstr(find(&p, 3).kept, "best 1"), "%s", find(&p, 3).kept);
    cr_assert(strstr(find(&p, 3).kept, "loss"), "%s", find(&p, 3).kept);
    cr_assert(strstr(find(&p, 4).kept, "100"), "%s", find(&p, 4).kept);
    cr_assert(strstr(find(&p, 6).kept, "pinned"), "%s", find(&p, 6).kept);
    cr_assert(strstr(find(&p, 7).kept, "last 2"), "%s", find(&p, 7).kept);
    cr_assert(
        strstr(find(&p, 8).kept, "newest intact"), "%s", find(&p, 8).kept);
    stop(&p);
}

TEST(manager, a_metric_that_is_nan_or_missing_is_saved_and_never_best)
{
    struct program p;
    start(&p, (varve_manager_options){ .keep_last = 1, .keep_best = 1 });
    save_with(&p, 1, &(varve_manager_save_options){ .has_metric = true,
        .metric = 9 });
    save_with(&p, 2, &(varve_manager_save_options){ .has_metric = true,
        .metric = NAN });
    save(&p, 3);
    must_have(&p, "1 3");
    cr_assert(isnan(find(&p, 3).metric));
    stop(&p);
}

TEST(manager, a_nan_of_either_sign_is_deleted_like_any_other)
{
    struct program p;
    varve_manager_options o = { .keep_last = 2 };
    start(&p, o);
    for (int step = 1; step <= 2; step++)
        save_with(&p, step, &(varve_manager_save_options){
            .has_metric = true, .metric = step == 1 ? copysign(NAN, -1.0)
                                                    : NAN });
    stop(&p);
    start(&p, o); /* reads them from the ledger */
    resume(&p);
    save(&p, 3);
    save(&p, 4);
    must_have(&p, "3 4");
    stop(&p);
}

TEST(manager, the_largest_may_be_best)
{
    struct program p;
    start(&p, (varve_manager_options){
        .keep_last = 1, .keep_best = 2, .best_is_larger = true });
    static const double accuracies[] = { 0.1, 0.9, 0.5, 0.7, 0.2 };
    for (int i = 0; i < 5; i++)
        save_with(&p, i, &(varve_manager_save_options){
            .has_metric = true, .metric = accuracies[i] });
    must_have(&p, "2 4 5");
    stop(&p);
}

TEST(manager, the_newest_is_kept_even_without_a_policy)
{
    struct program p;
    start(&p, (varve_manager_options){ .keep_best = 1 });
    for (int step = 1; step <= 3; step++)
        save_with(&p, step, &(varve_manager_save_options){
            .has_metric = true, .metric = step });
    must_have(&p, "1 3");
    cr_assert_str_eq(find(&p, 3).kept, "newest intact one");
    stop(&p);
}

TEST(manager, a_leased_checkpoint_is_kept_until_released)
{
    struct program p;
    varve_error error = { 0 };
    start(&p, (varve_manager_options){ .keep_last = 1 });
    save(&p, 1);
    varve_lease *lease = varve_lease_new(
        test_path("run/ckpt-1.varve"), test_allocator(), &error);
    cr_assert(lease, "%s", error.message);
    save(&p, 2);
    cr_assert_str_eq(find(&p, 1).kept, "leased");
    save(&p, 3);
    must_have(&p, "1 3");
    varve_lease_free(lease);
    save(&p, 4);
    must_have(&p, "4");
    stop(&p);
}

TEST(manager, the_listing_predicts_the_deletions_of_prune)
{
    struct program p;
    varve_error error = { 0 };
    start(&p, (varve_manager_options){ 0 });
    for (int step = 1; step <= 3; step++)
        save(&p, step);
    stop(&p);
    start(&p, (varve_manager_options){ .keep_last = 1 });
    cr_assert_null(find(&p, 1).kept);
    cr_assert_null(find(&p, 2).kept);
    cr_assert_not_null(find(&p, 3).kept);
    must_have(&p, "1 2 3");
    cr_assert_ok(varve_manager_prune(p.manager, &error), error);
    must_have(&p, "3");
    stop(&p);
}

/* --- Saving ------------------------------------------------------------- */

TEST(manager, a_step_that_went_backwards_is_the_latest)
{
    struct program p;
    start(&p, (varve_manager_options){ 0 });
    save(&p, 900);
    save(&p, 1000);
    save(&p, 850);
    stop(&p);
    start(&p, (varve_manager_options){ 0 });
    resume(&p);
    cr_assert_eq(p.v, 850);
    cr_assert_eq(find(&p, 3).step, 850);
    stop(&p);
}

static int cancel(void *user, uint64_t done, uint64_t total, const char *what)
{
    (void)done;
    (void)total;
    (void)what;
    return *(bool *)user;
}

TEST(manager, a_failed_save_uses_neither_interval_nor_number)
{
    struct program p;
    varve_error error = { 0 };
    bool stops = true;
    varve_write_options write = {
        .no_sync = true, .progress = cancel, .progress_user = &stops
    };
    start(&p, (varve_manager_options){ 0 });
    varve_manager_free(p.manager);
    p.manager = varve_manager_new(p.root, test_path("run"),
        &(varve_manager_options){ .interval_steps = 10, .write = &write },
        &error);
    cr_assert_eq(varve_manager_save(p.manager, 10, &error), VARVE_CANCELLED);
    cr_assert_null(varve_manager_saved(p.manager));
    cr_assert_eq(varve_manager_count(p.manager), 0);
    stops = false;
    cr_assert(save(&p, 11));
    must_have(&p, "1");
    stop(&p);
}

TEST(manager, a_request_makes_the_next_save_due_once)
{
    struct program p;
    start(&p, (varve_manager_options){ .interval_steps = 100 });
    cr_assert(save(&p, 100));
    cr_assert_not(save(&p, 101));
    varve_manager_request_save(p.manager);
    cr_assert(varve_manager_is_due(p.manager, 102));
    cr_assert(save(&p, 102));
    cr_assert_not(save(&p, 103));
    stop(&p);
}

static varve_manager *volatile signalled;

static void on_signal(int number)
{
    (void)number;
    varve_manager_request_save(signalled);
}

TEST(manager, a_signal_makes_the_next_save_due)
{
    struct program p;
    start(&p, (varve_manager_options){ .interval_seconds = 3600 });
    cr_assert(save(&p, 1));
    signalled = p.manager;
    void (*before)(int) = signal(SIGUSR1, on_signal);
    cr_assert_not(save(&p, 2));
    raise(SIGUSR1);
    cr_assert(save(&p, 3));
    signal(SIGUSR1, before);
    stop(&p);
}

/* --- Several managers --------------------------------------------------- */

TEST(manager, a_second_manager_of_a_prefix_is_refused)
{
    struct program p, q;
    varve_error error = { 0 };
    start(&p, (varve_manager_options){ 0 });
    save(&p, 1);
    cr_assert_null(varve_manager_new(p.root, test_path("run"), NULL, &error));
    cr_assert_eq(error.status, VARVE_EXISTS, "told at once: not by a save");
    cr_assert(story_is_one_line(&error) && story_says(&error, "ckpt"));
    cr_assert(story_says(&error, varve_manager_run(p.manager)));
    start(&q, (varve_manager_options){ .read_only = true });
    resume(&q);
    cr_assert_eq(q.v, 1, "reading is allowed");
    cr_assert_eq(varve_manager_save(q.manager, 2, &error), VARVE_MISUSE);
    stop(&q);
    stop(&p);
    start(&q, (varve_manager_options){ 0 });
    resume(&q);
    cr_assert(save(&q, 2));
    must_have(&q, "1 2");
    stop(&q);
}

TEST(manager, managers_of_different_prefixes_are_independent)
{
    struct program p, q;
    start(&p, (varve_manager_options){ .keep_last = 1, .prefix = "a" });
    start(&q, (varve_manager_options){ .keep_last = 1, .prefix = "a-1" });
    for (int step = 1; step <= 3; step++) {
        save(&p, step);
        save(&q, 10 * step);
    }
    must_have(&p, "3");
    must_have(&q, "3");
    cr_assert(strstr(varve_manager_latest(p.manager), "/a-3.varve"));
    cr_assert(strstr(varve_manager_latest(q.manager), "/a-1-3.varve"));
    stop(&p);
    stop(&q);
}

TEST(manager, a_renamed_file_of_another_prefix_is_not_deleted)
{
    struct program p;
    char from[512];
    start(&p, (varve_manager_options){ .prefix = "other" });
    save(&p, 1);
    stop(&p);
    snprintf(from, sizeof from, "%s", test_path("run/other-1.varve"));
    cr_assert_eq(rename(from, test_path("run/ckpt-1.varve")), 0);
    start(&p, (varve_manager_options){ .keep_last = 1 });
    for (int step = 2; step <= 4; step++)
        save(&p, step);
    must_have(&p, "1 4");
    cr_assert_not(find(&p, 1).is_ours);
    stop(&p);
}

/* --- A save without a resume -------------------------------------------- */

/* Saves three checkpoints in a life that ends. */
static void leave_three(struct program *p)
{
    start(p, (varve_manager_options){ .keep_last = 3 });
    for (int step = 1; step <= 3; step++)
        save(p, step);
    stop(p);
}

TEST(manager, a_first_save_without_a_resume_fails_beside_another_run)
{
    struct program p;
    varve_error error = { 0 };
    leave_three(&p);
    start(&p, (varve_manager_options){ .keep_last = 1 });
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(varve_manager_save(p.manager, 1, &error), VARVE_EXISTS);
        cr_assert(story_is_one_line(&error) &&
                  story_says(&error, "ckpt-3.varve was saved by an earlier") &&
                  story_says(&error, "resume before the first save"));
    }
    must_have(&p, "1 2 3");
    resume(&p);
    save(&p, 4);
    must_have(&p, "4");
    stop(&p);
}

TEST(manager, a_first_save_without_a_resume_fails_in_a_named_run)
{
    struct program p;
    varve_error error = { 0 };
    const varve_manager_options options = { .keep_last = 1, .run = "job" };
    start(&p, options);
    save(&p, 1);
    stop(&p);
    start(&p, options);
    cr_assert_eq(varve_manager_save(p.manager, 1, &error), VARVE_EXISTS);
    resume(&p);
    save(&p, 2);
    must_have(&p, "2");
    stop(&p);
}

TEST(manager, a_new_run_that_is_permitted_keeps_the_checkpoints_of_another)
{
    struct program p;
    varve_error error = { 0 };
    leave_three(&p);
    start(&p, (varve_manager_options){
        .keep_last = 1, .may_start_new_run = true });
    for (int step = 1; step <= 4; step++)
        save(&p, step);
    must_have(&p, "1 2 3 7");
    cr_assert_ok(varve_manager_prune(p.manager, &error), error);
    must_have(&p, "1 2 3 7");
    stop(&p);
    start(&p, (varve_manager_options){ .keep_last = 1 });
    resume(&p);
    cr_assert_eq(p.v, 4);
    stop(&p);
}

TEST(manager, a_new_run_does_not_replace_a_step_of_another)
{
    struct program p;
    varve_error error = { 0 };
    const varve_manager_options options = {
        .number_by_step = true, .may_start_new_run = true
    };
    start(&p, options);
    save(&p, 1);
    save(&p, 2);
    stop(&p);
    start(&p, options);
    cr_assert_eq(varve_manager_save(p.manager, 1, &error), VARVE_EXISTS);
    save(&p, 3);
    save(&p, 3);
    must_have(&p, "1 2 3");
    stop(&p);
}

TEST(manager, a_deletion_without_any_metric_warns_of_keep_best)
{
    struct program p;
    const char *warning;
    varve_error error = { 0 };
    start(&p, (varve_manager_options){
        .keep_last = 1, .keep_best = 1, .metric = "loss" });
    save(&p, 1);
    cr_assert_null(varve_manager_warning(p.manager), "nothing is deleted");
    cr_assert_ok(varve_manager_save(p.manager, 2, &error), error);
    warning = varve_manager_warning(p.manager);
    cr_assert(warning && strstr(warning, "keeps none"), "%s", warning);
    cr_assert_eq(varve_manager_prune(p.manager, &error), VARVE_NOT_FOUND);
    cr_assert(story_says(&error, "metric \"loss\""), "%s", error.message);
    save_with(&p, 3, &(varve_manager_save_options){
        .has_metric = true, .metric = 0.5 });
    cr_assert_null(varve_manager_warning(p.manager));
    stop(&p);
}

/* Saves two checkpoints with the metric "loss", the better one first. */
static void leave_a_best(struct program *p)
{
    start(p, (varve_manager_options){
        .keep_last = 1, .keep_best = 1, .metric = "loss" });
    for (int step = 1; step <= 2; step++)
        save_with(p, step, &(varve_manager_save_options){
            .has_metric = true, .metric = step });
    stop(p);
}

TEST(manager, the_best_are_not_deleted_because_the_metric_has_another_name)
{
    struct program p;
    varve_error error = { 0 };
    varve_manager_options other[] = {
        { .keep_last = 1, .keep_best = 1, .metric = "accuracy" },
        { .keep_last = 1, .keep_best = 1, .metric = "loss",
            .best_is_larger = true },
    };
    leave_a_best(&p);
    varve_graph *graph = story_graph();
    for (int i = 0; i < 2; i++) {
        cr_assert_null(varve_manager_new(varve_graph_root(graph),
            test_path("run"), &other[i], &error));
        cr_assert_eq(error.status, VARVE_MISUSE);
        cr_assert(story_is_one_line(&error) &&
                  story_says(&error, "for the smallest \"loss\"") &&
                  story_says(&error, "set may_change_metric"));
    }
    varve_graph_free(graph);
    other[0].may_change_metric = true;
    start(&p, other[0]);
    resume(&p);
    save_with(&p, 3, &(varve_manager_save_options){
        .has_metric = true, .metric = 1 });
    must_have(&p, "3");
    stop(&p);
    start(&p, other[0]);
    stop(&p);
}

TEST(manager, a_metric_of_another_name_is_permitted_without_keep_best)
{
    struct program p;
    leave_a_best(&p);
    start(&p, (varve_manager_options){ .keep_last = 5, .metric = "accuracy" });
    resume(&p);
    save(&p, 3);
    must_have(&p, "1 2 3");
    stop(&p);
}
