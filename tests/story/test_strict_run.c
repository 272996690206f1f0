/* test_strict_run.c - Tests that a run whose program has changed reports this
 * before it saves: lost values are listed, and can be permitted or dropped.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

#include <string.h>
#include <unistd.h>

struct life {
    varve_run *run;
    float trained; /* under a name that may differ */
    int64_t step;
};

/* Runs in the test's directory with a layer of this name. */
static void live(
    struct life *l, const char *layer, const varve_run_options *options)
{
    *l = (struct life){ .run = varve_run_new(test_allocator()) };
    varve_node *root = varve_run_root(l->run);
    varve_add_variable(root, layer, varve_scalar(&l->trained));
    varve_add_variable(root, "step", varve_scalar(&l->step));
    varve_run_open(l->run, test_path("run"), options);
}

static void train(struct life *l, int64_t steps)
{
    while (l->step < steps && varve_run_should_continue(l->run)) {
        l->trained += 1;
        varve_run_step(l->run, ++l->step);
    }
}

static varve_status end(struct life *l)
{
    varve_error error = { .status = VARVE_OK };
    varve_status status = varve_run_end(l->run, &error);
    if (status == VARVE_UNMATCHED) {
        cr_assert(story_says(&error, "\n  hidden "), "%s", error.message);
        cr_assert(story_says(&error, "\n  middle "), "%s", error.message);
        cr_assert(story_says(&error, "allow_partial"), "%s", error.message);
    }
    return status;
}

static bool is_there(const char *name)
{
    return access(test_path(name), F_OK) == 0;
}

static const varve_run_options usual = { .manager = { .keep_last = 1 } };

/* Runs five steps with a layer "hidden". */
static void begin(void)
{
    struct life l;
    live(&l, "hidden", &usual);
    train(&l, 5);
    cr_assert_eq(end(&l), VARVE_OK);
}

/* The step has another name, so the program begins with step 1 again: the
 * message must name the difference, not the repeated step. */
TEST(strict_run, reports_the_difference_before_a_repeated_step)
{
    varve_error error;
    float trained = 0;
    int64_t step = 0;
    begin();
    varve_run *run = varve_run_new(test_allocator());
    varve_add_variable(varve_run_root(run), "hidden", varve_scalar(&trained));
    varve_add_variable(varve_run_root(run), "global", varve_scalar(&step));
    varve_run_open(run, test_path("run"), &usual);
    varve_run_step(run, 1);
    cr_assert_eq(varve_run_end(run, &error), VARVE_UNMATCHED);
    cr_assert(story_says(&error, "\n  global "), "%s", error.message);
}

TEST(strict_run, fails_in_its_first_step_and_saves_nothing)
{
    struct life l;
    varve_run_options options = usual;
    options.manager.interval_steps = 100;
    begin();
    live(&l, "middle", &options);
    cr_assert(
        varve_run_should_continue(l.run), "the program may not be built yet");
    train(&l, 6);
    cr_assert_eq(l.step, 6);
    cr_assert_not(varve_run_should_continue(l.run));
    cr_assert_eq(end(&l), VARVE_UNMATCHED);
    cr_assert(is_there("run/ckpt-5.varve"));
    cr_assert_not(is_there("run/ckpt-6.varve"));
    live(&l, "hidden", &usual);
    cr_assert_eq(l.trained, 5);
    train(&l, 6);
    cr_assert_eq(end(&l), VARVE_OK);
}

TEST(strict_run, fails_at_its_end_if_no_step_checked_it)
{
    struct life l;
    begin();
    live(&l, "middle", &usual);
    cr_assert_eq(end(&l), VARVE_UNMATCHED);
    live(&l, "middle", &usual);
    varve_run_stop(l.run);
    cr_assert(varve_run_was_stopped(l.run));
    cr_assert_eq(end(&l), VARVE_OK, "it was not built yet");
    live(&l, "middle", &usual);
    varve_run_free(l.run);
    cr_assert_not(is_there("run/ckpt-6.varve"));
}

/* A program that would truncate its log leaves it unchanged. */
TEST(strict_run, can_be_checked_before_the_first_step)
{
    struct life l;
    const varve_read_options expects = { .expect = { .missing = "middle",
                                             .unexpected = "hidden" } };
    varve_run_options options = usual;
    varve_error error;
    live(&l, "hidden", &usual);
    cr_assert(varve_run_check_resume(l.run), "it begins anew");
    cr_assert_eq(end(&l), VARVE_OK);
    begin();
    live(&l, "middle", &usual);
    cr_assert_not(varve_run_check_resume(l.run));
    cr_assert_not(varve_run_check_resume(l.run));
    cr_assert_not(varve_run_should_continue(l.run));
    cr_assert_eq(end(&l), VARVE_UNMATCHED);
    live(&l, "hidden", &usual);
    cr_assert(varve_run_check_resume(l.run));
    train(&l, 6);
    cr_assert_eq(end(&l), VARVE_OK);
    options.manager.read = &expects;
    live(&l, "middle", &options);
    cr_assert(varve_run_check_resume(l.run));
    varve_node *late = varve_add_variable(
        varve_run_root(l.run), "hidden", varve_scalar(&l.trained));
    cr_assert_eq(l.trained, 6, "it went on waiting");
    varve_remove(late);
    varve_run_free(l.run);
    live(&l, "hidden", &usual);
    varve_add_object(varve_run_root(l.run), "hidden");
    cr_assert_not(varve_run_check_resume(l.run));
    cr_assert_neq(varve_run_end(l.run, &error), VARVE_OK);
    cr_assert(story_says(&error, "hidden"), "%s", error.message);
    l.run = varve_run_new(test_allocator());
    cr_assert_not(varve_run_check_resume(l.run), "it is not open");
    cr_assert_eq(varve_run_end(l.run, &error), VARVE_MISUSE);
    cr_assert_not(varve_run_check_resume(NULL));
}

TEST(strict_run, accepts_variables_added_before_the_first_step)
{
    struct life l = { .run = varve_run_new(test_allocator()) };
    varve_node *root = varve_run_root(l.run);
    begin();
    varve_add_variable(root, "step", varve_scalar(&l.step));
    varve_run_open(l.run, test_path("run"), &usual);
    varve_add_variable(root, "hidden", varve_scalar(&l.trained));
    cr_assert_eq(l.trained, 5);
    train(&l, 6);
    cr_assert_eq(end(&l), VARVE_OK);
    cr_assert_not(is_there("run/ckpt-5.varve"), "all of it was taken");
}

TEST(strict_run, applies_renames_and_expect_patterns)
{
    struct life l;
    const varve_rename rename = { "middle", "hidden" };
    const varve_read_options renames = { .rename.list = &rename,
        .rename.count = 1 };
    const varve_read_options expects = { .expect = { .missing = "middle",
                                             .unexpected = "hidden" } };
    varve_run_options options = usual;
    begin();
    options.manager.read = &expects;
    live(&l, "middle", &options);
    cr_assert_eq(l.trained, 0);
    cr_assert_eq(end(&l), VARVE_OK);
    options.manager.read = &renames;
    live(&l, "middle", &options);
    cr_assert_eq(l.trained, 5);
    train(&l, 6);
    cr_assert_eq(end(&l), VARVE_OK);
}

/* The rename remains in the program: later checkpoints have the new name, and
 * the run is resumed from them without an error or a warning. */
TEST(strict_run, is_resumed_again_with_a_rename_of_an_earlier_restart)
{
    struct life l;
    const varve_rename rename = { "middle", "hidden" };
    const varve_read_options renames = { .rename.list = &rename,
        .rename.count = 1 };
    varve_run_options options = usual;
    options.manager.read = &renames;
    begin();
    for (int64_t steps = 5; steps < 9; steps++) {
        live(&l, "middle", &options);
        cr_assert_eq(varve_run_resumed_step(l.run), steps);
        cr_assert_eq(l.trained, (float)steps);
        train(&l, steps + 1);
        cr_assert_null(varve_run_warning(l.run));
        cr_assert_eq(end(&l), VARVE_OK);
    }
}

/* Ends a run whose renames are ambiguous if `has_renames` is set. */
static void end_ambiguous(varve_run *run, bool has_renames, const char *message)
{
    varve_error error;
    varve_status status = varve_run_end(run, &error);
    cr_assert_eq(status, has_renames ? VARVE_UNMATCHED : VARVE_OK);
    cr_assert(!has_renames || story_says(&error, message), "%s", error.message);
    cr_assert_not(is_there("run/ckpt-2.varve"));
}

/* Two names were exchanged. A later resume would exchange the values again. */
TEST(strict_run, does_not_apply_a_rename_if_the_checkpoint_has_both_names)
{
    const varve_rename list[] = { { "a", "b" }, { "b", "a" } };
    const varve_read_options renames = { .rename.list = list,
        .rename.count = 2 };
    varve_run_options options = usual;
    for (int part = 0; part < 3; part++) {
        float a = 1, b = 2;
        varve_run *run = varve_run_new(test_allocator());
        varve_node *root = varve_run_root(run);
        options.manager.read = part ? &renames : NULL;
        options.allow_partial = part == 2;
        varve_add_variable(root, "a", varve_scalar(&a));
        varve_add_variable(root, "b", varve_scalar(&b));
        varve_run_open(run, test_path("run"), &options);
        varve_run_step(run, part + 1);
        end_ambiguous(run, part > 0,
            "the rename of \"a\" to \"b\" is ambiguous: "
            "the checkpoint has both paths");
    }
}

TEST(strict_run, does_not_apply_a_rename_if_the_checkpoint_has_both_slots)
{
    const varve_rename list[] = { { "sgd/m(w)", "sgd/v(w)" },
        { "sgd/v(w)", "sgd/m(w)" } };
    const varve_read_options renames = { .rename.list = list,
        .rename.count = 2 };
    varve_run_options options = usual;
    for (int part = 0; part < 2; part++) {
        float w = 1, m = 2, v = 3;
        varve_run *run = varve_run_new(test_allocator());
        varve_node *root = varve_run_root(run);
        options.manager.read = part ? &renames : NULL;
        varve_node *weights = varve_add_variable(root, "w", varve_scalar(&w));
        varve_node *sgd = varve_add_object(root, "sgd");
        varve_add_slot(sgd, weights, "m", varve_scalar(&m));
        varve_add_slot(sgd, weights, "v", varve_scalar(&v));
        varve_run_open(run, test_path("run"), &options);
        varve_run_step(run, part + 1);
        end_ambiguous(run, part > 0,
            "the rename of \"sgd/m(w)\" to \"sgd/v(w)\" is ambiguous");
    }
}

/* No other file contains the trained value. */
TEST(strict_run, with_a_partial_resume_keeps_its_checkpoint)
{
    struct life l;
    varve_error error;
    varve_run_options options = usual;
    options.allow_partial = true;
    begin();
    live(&l, "middle", &options);
    train(&l, 8);
    cr_assert(is_there("run/ckpt-5.varve"));
    cr_assert_not(is_there("run/ckpt-7.varve"), "the others go as usual");
    cr_assert(is_there("run/ckpt-8.varve"));
    cr_assert_ok(
        varve_manager_finish_resume(varve_run_manager(l.run), &error), error);
    train(&l, 9);
    cr_assert_not(is_there("run/ckpt-5.varve"), "its value was given up");
    cr_assert_eq(end(&l), VARVE_OK);
    options.manager.strict = true;
    live(&l, "middle", &options);
    cr_assert_eq(varve_run_end(l.run, &error), VARVE_MISUSE);
    cr_assert(story_says(&error, "exclude each other"), "%s", error.message);
}
