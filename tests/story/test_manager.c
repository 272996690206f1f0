/* test_manager.c - a directory of checkpoints of one run: which are made, which
 * stay and why, and how a run goes on. Names begin with the row of the
 * reference that they answer, where there is one.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const varve_write_options fast = { .no_sync = true };

/* A program of one value, with a manager over "run" in the test's directory. */
struct program {
    varve_graph *graph;
    varve_node *root;
    varve_manager *manager;
    float v;
};

static void start_in(struct program *p, const char *directory,
    varve_manager_options options)
{
    varve_error error = { 0 };
    options.write = &fast;
    p->v = 0;
    p->graph = story_graph();
    p->root = varve_graph_root(p->graph);
    story_add(p->root, "v", &p->v);
    p->manager =
        varve_manager_new(p->root, test_path(directory), &options, &error);
    cr_assert(p->manager, "%s", error.message);
}

static void start(struct program *p, varve_manager_options options)
{
    start_in(p, "run", options);
}

static void stop(struct program *p)
{
    varve_manager_free(p->manager);
    varve_graph_free(p->graph);
}

/* Saves the step as the value; whether it was due. */
static bool save_with(struct program *p, int64_t step,
    const varve_manager_save_options *options)
{
    varve_error error = { 0 };
    p->v = (float)step;
    cr_assert_ok(
        varve_manager_save_with(p->manager, step, options, &error), error);
    cr_assert_null(varve_manager_warning(p->manager), "%s",
        varve_manager_warning(p->manager));
    return varve_manager_saved(p->manager) != NULL;
}

static bool save(struct program *p, int64_t step)
{
    return save_with(p, step, NULL);
}

static void resume(struct program *p)
{
    varve_error error = { 0 };
    cr_assert_ok(varve_manager_resume(p->manager, &error), error);
}

/* The numbers that are there, oldest first: "1 3 4". */
static const char *numbers(const struct program *p)
{
    static char text[512];
    varve_managed at;
    text[0] = '\0';
    for (size_t i = 0; varve_manager_at(p->manager, i, &at); i++) {
        size_t size = strlen(text);
        snprintf(text + size, sizeof text - size, "%s%llu", size ? " " : "",
            (unsigned long long)at.number);
    }
    return text;
}

static void must_have(struct program *p, const char *wanted)
{
    varve_error error = { 0 };
    cr_assert_str_eq(numbers(p), wanted);
    cr_assert_ok(varve_manager_refresh(p->manager, &error), error);
    cr_assert_str_eq(numbers(p), wanted, "the directory has others");
}

static varve_managed find(const struct program *p, uint64_t number)
{
    varve_managed at;
    for (size_t i = 0; varve_manager_at(p->manager, i, &at); i++)
        if (at.number == number)
            return at;
    cr_assert(false, "there is no number %d", (int)number);
    return at;
}

static const char *name_of(const char *path)
{
    return path ? strrchr(path, '/') + 1 : "none";
}

/* Turns one byte of a file's value. */
static void damage(const char *name)
{
    size_t size;
    unsigned char *bytes = test_read_file(test_path(name), &size);
    bytes[64] ^= 1;
    test_write_file(test_path(name), bytes, size);
    free(bytes);
}

/* --- Rows of the reference ---------------------------------------------- */

TEST(manager, m2_m3_m27_saves_are_found_again_by_path)
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

TEST(manager, m8_an_empty_or_foreign_ledger_is_made_anew)
{
    static const char *const ledgers[] = { "", "model_checkpoint_path: \"x\"\n",
        "varve ledger 1\n", "\xff\xfe\0\0", "varve ledger 99\n1 2 3\n" };
    for (size_t i = 0; i < sizeof ledgers / sizeof *ledgers; i++) {
        struct program p;
        start(&p, (varve_manager_options){ .keep_last = 2 });
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

TEST(manager, a_lost_ledger_loses_neither_pins_nor_best)
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
    save(&p, 5);
    must_have(&p, "1 2 5");
    cr_assert(find(&p, 1).is_pinned);
    cr_assert_eq(find(&p, 2).metric, 0.25);
    cr_assert_ok(varve_manager_unpin(p.manager, 1, &error), error);
    cr_assert_ok(varve_manager_prune(p.manager, &error), error);
    must_have(&p, "2 5");
    stop(&p);
}

TEST(manager, m10_m12_what_goes_leaves_nothing_of_itself)
{
    struct program p;
    start_in(&p, ".", (varve_manager_options){ .keep_last = 1 });
    for (int step = 1; step <= 5; step++)
        save(&p, step);
    must_have(&p, "5");
    cr_assert_eq(test_file_count(), 3, "the file, the ledger and the lock");
    stop(&p);
}

TEST(manager, m14_m15_opening_deletes_nothing_and_the_next_save_does)
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

TEST(manager, m20_what_others_saved_is_resumed_from_and_never_deleted)
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

TEST(manager, m24_numbers_of_ones_own_and_the_counter_counts_saves)
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
    cr_assert_eq(test_file_count(), 0, "a resume has no side effects");
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
    cr_assert(save(&p, 0));
    cr_assert_not(save(&p, 1));
    cr_assert(save(&p, 2));
    cr_assert_not(save(&p, 2));
    cr_assert_not(save(&p, 3));
    cr_assert(save_with(&p, 3, &(varve_manager_save_options){ .force = true }));
    must_have(&p, "1 2 3");
    cr_assert(save(&p, 1), "a step that goes backwards is due");
    stop(&p);
}

TEST(manager, m30_the_step_that_was_resumed_is_not_saved_again)
{
    struct program p;
    start(&p, (varve_manager_options){ .interval_steps = 2 });
    cr_assert(save(&p, 0));
    stop(&p);
    start(&p, (varve_manager_options){ .interval_steps = 2 });
    resume(&p);
    cr_assert_not(save(&p, 0));
    cr_assert_not(save(&p, 1));
    cr_assert(save(&p, 2));
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

/* --- Resuming ----------------------------------------------------------- */

TEST(manager, resumes_from_the_newest_that_verifies_and_says_what_not)
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
    const char *first = varve_manager_passed_over(p.manager, 0);
    const char *then = varve_manager_passed_over(p.manager, 1);
    cr_assert(first && strstr(first, "ckpt-4.varve"), "%s", first);
    cr_assert(then && strstr(then, "ckpt-3.varve"), "%s", then);
    cr_assert_null(varve_manager_passed_over(p.manager, 2));
    cr_assert(find(&p, 4).is_damaged);
    stop(&p);
}

TEST(manager, the_newest_good_one_outlives_a_newer_damaged_one)
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

TEST(manager, a_program_that_does_not_fit_is_no_reason_for_an_older_one)
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
    cr_assert_null(varve_manager_passed_over(m, 0));
    cr_assert_eq(wide, 5);
    varve_manager_free(m);
    varve_graph_free(graph);
}

TEST(manager, what_is_built_after_the_resume_is_filled)
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

TEST(manager, says_of_each_why_it_stays)
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
    cr_assert(strstr(find(&p, 8).kept, "newest good"), "%s", find(&p, 8).kept);
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
    start(&p, o); /* knows them from the ledger */
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

TEST(manager, the_walk_is_a_dry_run_of_the_prune)
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

TEST(manager, a_save_that_failed_uses_up_neither_interval_nor_number)
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
    cr_assert_eq(varve_manager_save(p.manager, 5, &error), VARVE_CANCELLED);
    cr_assert_null(varve_manager_saved(p.manager));
    cr_assert_eq(varve_manager_count(p.manager), 0);
    stops = false;
    cr_assert(save(&p, 6));
    must_have(&p, "1");
    stop(&p);
}

TEST(manager, a_request_makes_the_next_save_due_once)
{
    struct program p;
    start(&p, (varve_manager_options){ .interval_steps = 100 });
    cr_assert(save(&p, 1));
    cr_assert_not(save(&p, 2));
    varve_manager_request_save(p.manager);
    cr_assert(varve_manager_is_due(p.manager, 3));
    cr_assert(save(&p, 3));
    cr_assert_not(save(&p, 4));
    stop(&p);
}

/* --- Several managers --------------------------------------------------- */

TEST(manager, two_of_one_prefix_are_refused_while_both_live)
{
    struct program p, q;
    varve_error error = { 0 };
    start(&p, (varve_manager_options){ 0 });
    start(&q, (varve_manager_options){ 0 });
    save(&p, 1);
    cr_assert_eq(varve_manager_save(q.manager, 1, &error), VARVE_EXISTS);
    cr_assert(story_is_one_line(&error) && story_says(&error, "ckpt"));
    resume(&q);
    cr_assert_eq(q.v, 1, "reading is allowed");
    stop(&p);
    cr_assert(save(&q, 2));
    must_have(&q, "1 2");
    stop(&q);
}

TEST(manager, two_of_different_prefixes_leave_each_other_alone)
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

TEST(manager, a_file_of_another_prefix_that_was_renamed_is_not_deleted)
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
