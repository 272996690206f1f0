/* test_run.c - Tests varve_run: started, resumed, asked to stop, stopped by a
 * signal, killed, and in the directory of another program.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "story.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { NUMBERS = 1000, KILLS = 12 };

/* Each state is computed from the previous one. */
struct state {
    uint64_t numbers[NUMBERS];
    int64_t step;
};

static void compute(struct state *s)
{
    for (size_t i = 0; i < NUMBERS; i++)
        s->numbers[i] = s->numbers[i] * 6364136223846793005u + i +
                        s->numbers[(i + 1) % NUMBERS];
    s->step++;
}

/* Opens a run in the test's directory. */
static varve_run *begin(
    struct state *s, const char *directory, const varve_run_options *options)
{
    memset(s, 0, sizeof *s);
    varve_run *run = varve_run_new(test_allocator());
    varve_node *root = varve_run_root(run);
    varve_add_variable(root, "numbers", varve_array(s->numbers, NUMBERS));
    varve_add_variable(root, "step", varve_scalar(&s->step));
    varve_run_open(run, test_path(directory), options);
    return run;
}

static void go_on(varve_run *run, struct state *s, int64_t steps)
{
    while (s->step < steps && varve_run_should_continue(run)) {
        compute(s);
        varve_run_step(run, s->step);
    }
}

static bool is_right(const struct state *s)
{
    static struct state wanted;
    memset(&wanted, 0, sizeof wanted);
    while (wanted.step < s->step)
        compute(&wanted);
    return memcmp(wanted.numbers, s->numbers, sizeof wanted.numbers) == 0;
}

static bool is_there(const char *name)
{
    return access(test_path(name), F_OK) == 0;
}

static const varve_run_options every_ten = { .manager = {
    .interval_steps = 10, .number_by_step = true, .async = true } };

TEST(run, starts_from_the_beginning_then_resumes)
{
    struct state s;
    varve_error error;
    varve_run *run = begin(&s, "run", &every_ten);
    cr_assert_not(varve_run_is_resumed(run));
    cr_assert(is_there("run/.ckpt.lock"), "opening takes the lock");
    cr_assert_not(is_there("run/ckpt.ledger"), "and writes nothing else");
    go_on(run, &s, 25);
    cr_assert_ok(varve_run_end(run, &error), error);
    cr_assert(is_there("run/ckpt-10.varve") && is_there("run/ckpt-20.varve"));
    run = begin(&s, "run", &every_ten);
    cr_assert(varve_run_is_resumed(run));
    cr_assert_eq(s.step, 25);
    go_on(run, &s, 31);
    cr_assert(is_right(&s));
    cr_assert_ok(varve_run_end(run, &error), error);
    cr_assert(is_there("run/ckpt-31.varve"));
}

/* A finished run is started again. */
TEST(run, that_is_already_complete_writes_nothing)
{
    struct state s;
    varve_error error;
    const varve_run_options every = { .manager = { .interval_steps = 1 } };
    for (int i = 0; i < 2; i++) {
        varve_run *run = begin(&s, "run", &every);
        go_on(run, &s, 3);
        cr_assert_ok(varve_run_end(run, &error), error);
    }
    cr_assert(is_there("run/ckpt-3.varve"));
    cr_assert_not(is_there("run/ckpt-4.varve"));
}

/* An off-by-one loop: the step was done before the resume. */
TEST(run, that_repeats_a_step_fails_unless_allowed)
{
    struct state s;
    varve_error error;
    varve_run_options options = { .manager = { .interval_steps = 1 } };
    varve_run *run = begin(&s, "run", &options);
    cr_assert_eq(varve_run_resumed_step(run), 0);
    go_on(run, &s, 3);
    cr_assert_ok(varve_run_end(run, &error), error);
    run = begin(&s, "run", &options);
    cr_assert_eq(varve_run_resumed_step(run), 3);
    varve_run_step(run, 4);
    varve_run_step(run, 3);
    cr_assert_not(varve_run_should_continue(run));
    cr_assert_eq(varve_run_resumed_step(run), 3, "it stays");
    cr_assert_eq(varve_run_end(run, &error), VARVE_MISUSE);
    cr_assert(
        story_says(&error, "step 3 was already done"), "%s", error.message);
    cr_assert(story_says(&error, "continue with step 4"), "%s", error.message);
    cr_assert_not(is_there("run/ckpt-5.varve"));
    options.may_repeat_steps = true;
    run = begin(&s, "run", &options);
    varve_run_step(run, 2);
    cr_assert_ok(varve_run_end(run, &error), error);
    cr_assert(is_there("run/ckpt-5.varve"));
    cr_assert_eq(varve_run_resumed_step(NULL), 0);
}

/* The loop is left within a step, from which no run can resume. */
TEST(run, that_is_abandoned_saves_nothing_more)
{
    struct state s;
    varve_error error;
    varve_run *run = begin(&s, "run", &every_ten);
    go_on(run, &s, 13);
    compute(&s);
    varve_run_free(run);
    cr_assert(is_there("run/ckpt-10.varve"));
    run = begin(&s, "run", &every_ten);
    cr_assert_eq(s.step, 10);
    cr_assert_ok(varve_run_end(run, &error), error);
    varve_run_free(NULL);
}

TEST(run, saves_the_current_step_when_stopped)
{
    struct state s;
    varve_error error;
    varve_run_options options = every_ten;
    options.skip_final_save = true;
    varve_run *run = begin(&s, "run", &options);
    go_on(run, &s, 3);
    varve_run_stop(run);
    cr_assert_not(varve_run_should_continue(run));
    cr_assert(varve_run_was_stopped(run));
    cr_assert_ok(varve_run_end(run, &error), error);
    cr_assert(is_there("run/ckpt-3.varve"), "asked between two steps");
    run = begin(&s, "run", &options);
    cr_assert(varve_run_should_continue(run));
    cr_assert_not(varve_run_was_stopped(run));
    varve_run_stop(run);
    compute(&s);
    varve_run_step(run, s.step);
    cr_assert_not(varve_run_should_continue(run));
    cr_assert_ok(varve_run_end(run, &error), error);
    cr_assert(is_there("run/ckpt-4.varve"), "asked within one");
}

/* Its directory is not changed, except for the lock. */
TEST(run, refuses_the_directory_of_another_program)
{
    struct state s;
    float weight = 1;
    varve_error error;
    varve_run *run = varve_run_new(test_allocator());
    varve_add_variable(varve_run_root(run), "weight", varve_scalar(&weight));
    varve_run_open(run, test_path("run"), NULL);
    varve_run_step(run, 1);
    cr_assert_ok(varve_run_end(run, &error), error);
    run = begin(&s, "run", NULL);
    cr_assert_not(varve_run_should_continue(run));
    varve_run_step(run, 1);
    cr_assert_eq(varve_run_end(run, &error), VARVE_UNMATCHED);
    cr_assert(story_says(&error, test_path("run")), "%s", error.message);
    cr_assert(story_says(&error, "another"), "%s", error.message);
    cr_assert_not(is_there("run/ckpt-2.varve"));
}

static varve_status count_calls(void *user)
{
    ++*(int *)user;
    return VARVE_OK;
}

TEST(run, starts_from_the_beginning_despite_damage_only_if_allowed)
{
    struct state s;
    varve_error error;
    size_t size;
    int calls = 0;
    varve_run_options options = every_ten;
    options.manager.initialize = count_calls;
    options.manager.initialize_user = &calls;
    varve_run *run = begin(&s, "run", &options);
    cr_assert_null(varve_run_warning(run));
    go_on(run, &s, 10);
    cr_assert_ok(varve_run_end(run, &error), error);
    cr_assert_eq(calls, 1);
    const char *path = test_path("run/ckpt-10.varve");
    unsigned char *bytes = test_read_file(path, &size);
    bytes[64] ^= 1;
    test_write_file(test_path("run/ckpt-10.varve"), bytes, size);
    free(bytes);
    run = begin(&s, "run", &options);
    cr_assert_not(varve_run_should_continue(run));
    cr_assert_eq(varve_run_end(run, &error), VARVE_CORRUPT);
    cr_assert(story_says(&error, "run/ckpt-10.varve"), "%s", error.message);
    cr_assert_eq(calls, 1);
    options.manager.may_resume_older = true;
    run = begin(&s, "run", &options);
    cr_assert_eq(calls, 2);
    cr_assert_not(varve_run_is_resumed(run));
    cr_assert(strstr(varve_run_warning(run), "from the beginning"));
    cr_assert(strstr(varve_run_warning(run), "run/ckpt-10.varve"));
    cr_assert_ok(varve_run_end(run, &error), error);
}

/* The first failure is returned, and later calls do nothing. */
TEST(run, keeps_its_first_error)
{
    struct state s;
    varve_error error;
    varve_run *run = varve_run_new(test_allocator());
    cr_assert_not(varve_run_should_continue(run), "it was not opened");
    varve_run_open(run, test_path("run"), NULL);
    varve_run_step(run, 1);
    cr_assert_eq(varve_run_end(run, &error), VARVE_MISUSE);
    cr_assert(story_says(&error, "varve_run_open"), "%s", error.message);
    run = begin(&s, "run", NULL);
    varve_run_open(run, test_path("run"), NULL);
    cr_assert_not(varve_run_should_continue(run));
    cr_assert_eq(varve_run_end(run, &error), VARVE_MISUSE);
    cr_assert(
        story_says(&error, "the run is already open"), "%s", error.message);
    run = begin(&s, "run", NULL);
    varve_add_object(varve_run_root(run), "step");
    cr_assert_eq(varve_run_end(run, &error), VARVE_DUPLICATE);
    cr_assert_not(is_there("run/ckpt-1.varve"));
}

TEST(run, accepts_null_and_a_failed_allocation)
{
    varve_error error;
    test_fail_allocation(0, true);
    varve_run *empty = varve_run_new(test_allocator());
    test_fail_allocation(-1, false);
    varve_run *runs[] = { NULL, empty };
    const varve_status wanted[] = { VARVE_MISUSE, VARVE_NO_MEMORY };
    for (size_t i = 0; i < 2; i++) {
        float v = 0;
        varve_node *root = varve_run_root(runs[i]);
        varve_add_variable(root, "v", varve_scalar(&v));
        varve_run_open(runs[i], test_path("run"), NULL);
        cr_assert_not(varve_run_should_continue(runs[i]));
        varve_run_step(runs[i], 1);
        varve_run_step_with(runs[i], 1, NULL);
        varve_run_stop(runs[i]);
        cr_assert_not(varve_run_is_resumed(runs[i]));
        cr_assert_not(varve_run_was_stopped(runs[i]));
        cr_assert_eq(varve_run_resumed_step(runs[i]), 0);
        cr_assert_null(varve_run_warning(runs[i]));
        cr_assert_null(varve_run_manager(runs[i]));
        cr_assert_eq(varve_graph_check(varve_run_graph(runs[i]), &error),
            wanted[i]);
        cr_assert_eq(varve_run_end(runs[i], &error), wanted[i]);
    }
    cr_assert_not(is_there("run"));
}

/* --- Signals ------------------------------------------------------------ */

static void rest(void)
{
    nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

/* Runs a process until it is asked to stop; returns 0 on success. */
static int live(volatile int64_t *steps, bool heeds)
{
    struct state s;
    varve_error error;
    varve_run_options options = { .manager = {
        .interval_steps = heeds ? 1000000 : 3, .keep_last = 2,
        .async = !heeds } };
    options.handle_signals = heeds;
    varve_run *run = begin(&s, "run", &options);
    while (varve_run_should_continue(run)) {
        if (s.step > 0 && *steps == 0 && !is_right(&s))
            return 2;
        compute(&s);
        varve_run_step(run, s.step);
        *steps = s.step;
        rest();
    }
    return varve_run_end(run, &error) ? 1 : 0;
}

/* Ends a run by a signal after some steps; returns its exit status. */
static int end_by(volatile int64_t *steps, int number, bool heeds, int rests)
{
    int status;
    *steps = 0;
    pid_t child = fork();
    if (child == 0)
        _exit(live(steps, heeds));
    while (*steps == 0 && waitpid(child, &status, WNOHANG) == 0)
        rest();
    for (int i = 0; i < rests; i++)
        rest();
    kill(child, number);
    cr_assert_eq(waitpid(child, &status, 0), child);
    return status;
}

static volatile int64_t *share(void)
{
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(page, MAP_FAILED);
    return page;
}

static int64_t saved_step(void)
{
    struct state s;
    varve_error error;
    varve_run *run = begin(&s, "run", NULL);
    cr_assert(is_right(&s));
    cr_assert_ok(varve_run_end(run, &error), error);
    return s.step;
}

TEST(run, handles_the_signals_that_end_a_program)
{
    volatile int64_t *steps = share();
    int64_t last = 0;
    const int numbers[] = { SIGTERM, SIGINT, SIGTERM };
    for (size_t i = 0; i < 3; i++) {
        int status = end_by(steps, numbers[i], true, 5);
        cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%d", status);
        cr_assert_gt(*steps, last);
        last = *steps;
        cr_assert_eq(saved_step(), last, "its last step is saved");
    }
}

TEST(run, resumes_bit_for_bit_after_a_kill_at_any_moment)
{
    volatile int64_t *steps = share();
    int64_t last = 0;
    for (int i = 0; i < KILLS; i++) {
        int status = end_by(steps, SIGKILL, false, 1 + 3 * i);
        cr_assert(WIFSIGNALED(status), "it ended with %d", WEXITSTATUS(status));
        int64_t found = saved_step();
        cr_assert_geq(found, last);
        last = found;
    }
    cr_assert_gt(last, 0);
}

TEST(run, installs_handlers_on_request_for_one_run_at_a_time)
{
    struct state s, t;
    struct sigaction found;
    varve_error error;
    const varve_run_options heed = { .handle_signals = true };
    varve_run *run = begin(&s, "one", NULL);
    sigaction(SIGTERM, NULL, &found);
    cr_assert_eq(found.sa_handler, SIG_DFL);
    cr_assert_ok(varve_run_end(run, &error), error);
    run = begin(&s, "one", &heed);
    sigaction(SIGTERM, NULL, &found);
    cr_assert_neq(found.sa_handler, SIG_DFL);
    varve_run *other = begin(&t, "two", &heed);
    cr_assert_eq(varve_run_end(other, &error), VARVE_MISUSE);
    cr_assert(story_says(&error, "signals"), "%s", error.message);
    raise(SIGTERM);
    cr_assert_not(varve_run_should_continue(run));
    cr_assert_ok(varve_run_end(run, &error), error);
    sigaction(SIGTERM, NULL, &found);
    cr_assert_eq(found.sa_handler, SIG_DFL, "as it was");
}

/* --- Levels ------------------------------------------------------------- */

static varve_run *begin_with_level(
    struct state *s, const char *directory, const varve_level *level)
{
    const varve_run_options options = {
        .manager = { .levels = level, .level_count = 1 }
    };
    return begin(s, directory, &options);
}

/* varve_run_end makes the last save, after any call of drain. */
TEST(run, ends_when_its_levels_have_the_last_checkpoint)
{
    struct state s;
    varve_error error;
    char path[300];
    snprintf(path, sizeof path, "%s", test_path("level"));
    const varve_level level = { .directory = path };
    varve_run *run = begin_with_level(&s, "run", &level);
    go_on(run, &s, 5);
    cr_assert_ok(varve_run_end(run, &error), error);
    cr_assert(is_there("run/ckpt-5.varve"));
    cr_assert(is_there("level/ckpt-5.varve"));
}

TEST(run, with_a_failing_level_warns_and_fails_at_its_end)
{
    struct state s;
    varve_error error;
    char path[300];
    const char *why = NULL;
    snprintf(path, sizeof path, "%s", test_path("level"));
    const varve_level level = { .directory = path };
    varve_run *run = varve_run_new(test_allocator());
    varve_add_variable(varve_run_root(run), "step", varve_scalar(&s.step));
    const varve_run_options options = {
        .manager = { .levels = &level, .level_count = 1 },
    };
    varve_run_open(run, test_path("run"), &options);
    test_write_file(path, "no directory", 12);
    for (s.step = 1; s.step <= 20 && !why; s.step++) {
        varve_run_step(run, s.step);
        why = varve_manager_warning(varve_run_manager(run));
        usleep(20000);
    }
    cr_assert(why && strstr(why, path), "%s", why ? why : "no warning");
    cr_assert_neq(varve_run_end(run, &error), VARVE_OK);
    cr_assert(story_says(&error, path), "%s", error.message);
    cr_assert(is_there("run/ckpt-1.varve"), "it is saved all the same");
}

static void add_number(void *user, varve_node *node, const varve_offer *offer)
{
    ++*(int *)user;
    varve_add_allocated_variable(node, offer->name, offer->value->dtype,
        varve_shape_of(0, NULL), NULL, NULL);
}

/* Runs a program whose dictionary gets a child at each step. */
static varve_run *bag_run(int *calls, varve_node **bag, int64_t *step)
{
    *step = 0;
    varve_run *run = varve_run_new(test_allocator());
    *bag = varve_add_dict(varve_run_root(run), "bag");
    varve_set_on_demand(*bag, add_number, calls);
    varve_add_variable(varve_run_root(run), "step", varve_scalar(step));
    varve_run_open(run, test_path("run"), NULL);
    return run;
}

static void bag_step(varve_run *run, varve_node *bag, int64_t *step)
{
    char name[24];
    snprintf(name, sizeof name, "n%d", (int)*step);
    varve_node *child = varve_add_allocated_variable(
        bag, name, VARVE_FLOAT32, varve_shape_of(0, NULL), NULL, NULL);
    *(float *)varve_data(child) = (float)++*step;
    varve_run_step(run, *step);
}

/* The newest checkpoint has a child that the older ones lack. */
TEST(run, resumes_from_the_checkpoint_before_a_damaged_one_that_has_more)
{
    int calls = 0;
    size_t size;
    varve_error error;
    varve_node *bag;
    int64_t step;
    varve_run *run = bag_run(&calls, &bag, &step);
    for (int i = 0; i < 3; i++)
        bag_step(run, bag, &step);
    cr_assert_ok(varve_run_end(run, &error), error);
    const char *path = test_path("run/ckpt-3.varve");
    unsigned char *bytes = test_read_file(path, &size);
    bytes[64] ^= 1;
    test_write_file(test_path("run/ckpt-3.varve"), bytes, size);
    free(bytes);
    run = bag_run(&calls, &bag, &step);
    cr_assert_eq(step, 2);
    cr_assert_eq(calls, 2);
    cr_assert_eq(varve_edge_count(bag), 2);
    varve_run_check_resume(run);
    bag_step(run, bag, &step);
    cr_assert_ok(varve_run_end(run, &error), error);
    cr_assert_eq(step, 3);
}
