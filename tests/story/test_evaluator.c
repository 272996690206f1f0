/* test_evaluator.c - Tests a process that trains and deletes checkpoints while
 * another reads each of them, including the last one.
 *
 * No checkpoint is deleted while it is read, and a reader that is killed holds
 * no lease.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "story.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { STEPS = 60, KEPT = 2 };

/* --- Who writes --------------------------------------------------------- */

/* Deletes like retention: locks first. Returns true if the file was deleted. */
static bool delete_unless_leased(const char *path)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return true;
    bool is_free = flock(file, LOCK_EX | LOCK_NB) == 0;
    if (is_free)
        remove(path);
    close(file);
    return is_free;
}

static void delete_old(const char *prefix, int newest)
{
    char path[512];
    for (int i = 1; i <= newest - KEPT; i++) {
        snprintf(path, sizeof path, "%s-%d.varve", prefix, i);
        delete_unless_leased(path);
    }
}

/* Saves the numbers from 1 on, each as the value of its checkpoint. */
static void train(const char *prefix)
{
    varve_error error;
    const varve_write_options fast = { .no_sync = true };
    const struct timespec a_little = { .tv_nsec = 1000000 };
    float v = 0;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    story_add(root, "v", &v);
    for (int i = 1; i <= STEPS; i++) {
        v = (float)i;
        if (varve_save(root, prefix, &fast, &error))
            _exit(1);
        delete_old(prefix, i);
        nanosleep(&a_little, NULL);
    }
    _exit(0);
}

/* Checks that a file contains the number. */
static void expect_value(const char *path, uint64_t number)
{
    varve_error error;
    float v = 0;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    story_add(root, "v", &v);
    varve_restoration *r = varve_restore(root, path, NULL, &error);
    cr_assert(r, "%s", error.message);
    cr_assert_eq(v, (float)number);
    cr_assert_eq(varve_restoration_counter(r), number);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

/* --- Who reads ---------------------------------------------------------- */

struct trainer {
    pid_t process;
    bool ended;
    int status;
};

static bool has_ended(void *user)
{
    struct trainer *t = user;
    if (!t->ended)
        t->ended = waitpid(t->process, &t->status, WNOHANG) == t->process;
    return t->ended;
}

/* Reads slowly, so that the other process tries to delete. Returns the number
 * of checkpoints it received, the last of which is the newest. */
static int evaluate(const char *prefix, bool every)
{
    varve_error error = { .message = "" };
    const struct timespec slow = { .tv_nsec = 4000000 };
    const char *path;
    struct trainer trainer = { .process = 0 };
    const varve_watch_options options = { .every = every,
        .done = has_ended,
        .done_user = &trainer,
        .allocator = test_allocator() };
    varve_watch *watch = varve_watch_new(prefix, &options, &error);
    cr_assert(watch, "%s", error.message);
    trainer.process = fork();
    if (trainer.process == 0)
        train(prefix);
    int count = 0;
    uint64_t last = 0;
    varve_status status;
    while (!(status = varve_watch_next(watch, 60000, &path, &error))) {
        cr_assert_gt(varve_watch_number(watch), last);
        last = varve_watch_number(watch);
        nanosleep(&slow, NULL);
        expect_value(path, last);
        count++;
    }
    cr_assert_eq(status, VARVE_CANCELLED, "%s", error.message);
    cr_assert(WIFEXITED(trainer.status) && WEXITSTATUS(trainer.status) == 0);
    cr_assert_eq(last, STEPS, "the last one was missed");
    varve_watch_free(watch);
    return count;
}

TEST(evaluator, reads_the_newest_as_it_appears_and_the_last_one_too)
{
    int count = evaluate(test_path("run/c"), false);
    cr_assert_geq(count, 1);
    cr_assert_leq(count, STEPS);
}

TEST(evaluator, reads_each_kept_checkpoint_in_order)
{
    int count = evaluate(test_path("run/c"), true);
    cr_assert_geq(count, KEPT);
    cr_assert_leq(count, STEPS);
}

/* M31, M34 */
TEST(evaluator, ends_after_the_timeout)
{
    varve_error error = { .message = "" };
    const char *path = NULL;
    struct timespec before, after;
    varve_watch *watch = varve_watch_new(test_path("none/c"), NULL, &error);
    cr_assert_eq(varve_watch_next(watch, 0, &path, &error), VARVE_TIMEOUT);
    clock_gettime(CLOCK_MONOTONIC, &before);
    cr_assert_eq(varve_watch_next(watch, 300, &path, &error), VARVE_TIMEOUT);
    clock_gettime(CLOCK_MONOTONIC, &after);
    double seconds = (double)(after.tv_sec - before.tv_sec) +
                     (double)(after.tv_nsec - before.tv_nsec) / 1e9;
    cr_assert_geq(seconds, 0.3);
    cr_assert_lt(seconds, 30);
    cr_assert_null(path);
    cr_assert(story_is_one_line(&error) && story_says(&error, "none/c"), "%s",
        error.message);
    varve_watch_free(watch);
}

/* --- Leases ------------------------------------------------------------- */

TEST(evaluator, keeps_a_checkpoint_from_retention_by_a_lease)
{
    varve_error error = { .message = "" };
    story_file("c-1.varve", (const struct story_value[]){ { "v", 1 }, { 0 } });
    varve_lease *lease =
        varve_lease_new(test_path("c"), test_allocator(), &error);
    cr_assert(lease, "%s", error.message);
    cr_assert_str_eq(varve_lease_path(lease), test_path("c-1.varve"));
    cr_assert_not(delete_unless_leased(varve_lease_path(lease)));
    cr_assert_eq(test_file_count(), 1);
    varve_lease_free(lease);
    cr_assert(delete_unless_leased(test_path("c-1.varve")));
    cr_assert_eq(test_file_count(), 0);
    cr_assert_null(varve_lease_new(test_path("c"), NULL, &error));
    cr_assert_eq(error.status, VARVE_NOT_FOUND);
}

/* Returns true if a checkpoint that is being read still exists after another
 * save. */
static bool outlives_a_save(
    varve_manager *manager, int64_t step, const char *path)
{
    varve_error error;
    cr_assert_ok(varve_manager_save(manager, step, &error), error);
    return access(path, F_OK) == 0;
}

TEST(evaluator, protects_the_current_checkpoint_until_the_next_call)
{
    varve_error error = { .message = "" };
    const char *path;
    const varve_manager_options keep_one = { .keep_last = 1 };
    const char *prefix = test_path("run/ckpt");
    float v = 1;
    varve_graph *graph = story_graph();
    story_add(varve_graph_root(graph), "v", &v);
    varve_manager *manager = varve_manager_new(
        varve_graph_root(graph), test_path("run"), &keep_one, &error);
    cr_assert(manager, "%s", error.message);
    varve_watch *watch = varve_watch_new(prefix, NULL, &error);
    cr_assert_ok(varve_manager_save(manager, 1, &error), error);
    cr_assert_ok(varve_watch_next(watch, 0, &path, &error), error);
    char first[512];
    snprintf(first, sizeof first, "%s", path);
    cr_assert_str_eq(first, varve_manager_saved(manager));
    cr_assert(outlives_a_save(manager, 2, first));
    cr_assert(outlives_a_save(manager, 3, first));
    expect_value(first, 1);
    cr_assert_ok(varve_watch_next(watch, 0, &path, &error), error);
    cr_assert_eq(varve_watch_number(watch), 3);
    cr_assert_not(outlives_a_save(manager, 4, first));
    varve_watch_free(watch);
    varve_manager_free(manager);
    varve_graph_free(graph);
}

/* Takes a lease, signals that, and sleeps until it is killed or the test
 * ends. */
static void hold(const char *path, int says)
{
    varve_error error;
    if (!varve_lease_new(path, NULL, &error) || write(says, "!", 1) != 1)
        _exit(1);
    alarm(30);
    for (;;)
        pause();
}

TEST(evaluator, that_is_killed_leaves_no_lease)
{
    int ends[2];
    char byte;
    story_file("c-1.varve", (const struct story_value[]){ { "v", 1 }, { 0 } });
    const char *path = test_path("c-1.varve");
    cr_assert_eq(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0)
        hold(path, ends[1]);
    close(ends[1]);
    cr_assert_eq(read(ends[0], &byte, 1), 1);
    close(ends[0]);
    bool was_held = !delete_unless_leased(path);
    cr_assert_eq(kill(child, SIGKILL), 0);
    cr_assert_eq(waitpid(child, NULL, 0), child);
    cr_assert(was_held);
    cr_assert(delete_unless_leased(path));
}

/* The directory of a manager is an easy mistake for its prefix. */
TEST(evaluator, reports_the_prefix_if_given_a_directory)
{
    cr_assert_eq(mkdir(test_path("run"), 0777), 0);
    for (int i = 0; i < 2; i++) {
        varve_error error;
        const char *path;
        varve_watch *watch =
            varve_watch_new(test_path(i ? "run/ckpt" : "run"), NULL, &error);
        cr_assert_not_null(watch, "%s", error.message);
        cr_assert_eq(varve_watch_next(watch, 0, &path, &error), VARVE_TIMEOUT);
        cr_assert_eq(story_says(&error, "the prefix of a manager is"), i == 0,
            "%s", error.message);
        varve_watch_free(watch);
    }
}
