/* test_every_step.c - Tests a run that saves after every step: asynchronously,
 * killed at any time and resumed; and incrementally, with old checkpoints
 * deleted in any order.
 *
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "story.h"

enum { COUNT = 100000, STEPS = 12 };

static float table[COUNT];
static int64_t step;

static varve_graph *make(void)
{
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    memset(table, 0, sizeof table);
    step = 0;
    varve_add_variable(root, "table", varve_array(table, COUNT));
    varve_add_variable(root, "step", varve_scalar(&step));
    return graph;
}

/* Changes a few values; the state is a function of the step. */
static void take_step(void)
{
    step++;
    for (int64_t i = 0; i < 50; i++)
        table[(step * 7919 + i) % COUNT] += (float)step;
}

/* Checks that the table equals that of an uninterrupted run. */
static void check_table(int64_t steps)
{
    static float found[COUNT];
    cr_assert_eq(step, steps);
    memcpy(found, table, sizeof found);
    memset(table, 0, sizeof table);
    for (step = 0; step < steps;)
        take_step();
    cr_assert_eq(memcmp(found, table, sizeof found), 0);
}

/* Resumes from the newest checkpoint and continues to step `last`. */
static varve_status train(
    const char *prefix, int64_t last, varve_error *error)
{
    const varve_write_options options = { .async.zero_copy = true,
        .incremental = true };
    varve_graph *graph = make();
    varve_node *root = varve_graph_root(graph);
    varve_job *job = NULL;
    varve_restoration *r = varve_restore(root, prefix, NULL, error);
    varve_status status = r ? VARVE_OK : error->status;
    if (status == VARVE_NOT_FOUND)
        status = VARVE_OK;
    varve_restoration_free(r);
    while (!status && step < last) {
        if (job)
            status = varve_job_wait_staged(job, error);
        take_step();
        varve_job_free(job); /* the next save reports a failure */
        job = varve_save_async(root, prefix, &options, error);
        status = status || !job ? error->status : VARVE_OK;
    }
    if (job)
        status = varve_job_wait(job, error);
    varve_job_free(job);
    varve_graph_free(graph);
    return status;
}

/* Forks a process and kills it some milliseconds after its first checkpoint
 * exists. */
static void train_and_kill(const char *prefix, int milliseconds)
{
    char path[600];
    varve_error error = { 0 };
    const struct timespec moment = { .tv_nsec = milliseconds * 1000000L };
    const struct timespec little = { .tv_nsec = 1000000 };
    pid_t child = fork();
    if (child == 0)
        _exit(train(prefix, INT64_MAX, &error) ? 1 : 0);
    cr_assert_gt(child, 0);
    while (varve_latest(prefix, path, sizeof path, NULL))
        nanosleep(&little, NULL);
    nanosleep(&moment, NULL);
    cr_assert_eq(kill(child, SIGKILL), 0);
    int status;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFSIGNALED(status), "it ended by itself: %d", status);
}

TEST(every_step, asynchronous_saves_survive_kills)
{
    char prefix[512];
    snprintf(prefix, sizeof prefix, "%s", test_path("run"));
    int64_t before = 0;
    for (int i = 0; i < 3; i++) {
        varve_error error = { 0 };
        train_and_kill(prefix, 5 + 20 * i);
        varve_graph *graph = make();
        varve_restoration *r =
            varve_restore(varve_graph_root(graph), prefix, NULL, &error);
        cr_assert(r, "%s", error.message);
        varve_restoration_free(r);
        varve_graph_free(graph);
        cr_assert_geq(step, before);
        before = step;
        check_table(step);
        cr_assert_ok(train(prefix, before + 2, &error), error);
        check_table(before + 2);
        before += 2;
    }
}

static void restore_number(int number)
{
    char name[64];
    varve_error error = { 0 };
    snprintf(name, sizeof name, "run-%d.varve", number);
    varve_graph *graph = make();
    varve_restoration *r =
        varve_read(varve_graph_root(graph), test_path(name), NULL, &error);
    cr_assert(r, "%s: %s", name, error.message);
    cr_assert_ok(varve_assert_consumed(r, &error), error);
    varve_restoration_free(r);
    varve_graph_free(graph);
    check_table(number);
}

TEST(every_step, incremental_checkpoints_are_deleted_in_any_order)
{
    static const int order[] = { 5, 1, 12, 8, 2, 10, 3, 6, 11, 4 };
    enum { GONE = sizeof order / sizeof *order };
    char name[64], directory[512], prefix[512];
    varve_error error = { 0 };
    snprintf(prefix, sizeof prefix, "%s", test_path("run"));
    snprintf(directory, sizeof directory, "%s", test_path("."));
    cr_assert_ok(train(prefix, STEPS, &error), error);
    for (int i = 0; i < GONE; i++) {
        snprintf(name, sizeof name, "run-%d.varve", order[i]);
        cr_assert_eq(remove(test_path(name)), 0);
        cr_assert_ok(varve_prune_data_files(directory, &error), error);
        restore_number(7);
        restore_number(9);
    }
    cr_assert_ok(
        varve_repack(test_path("run-7.varve"), NULL, NULL, &error), error);
    cr_assert_eq(remove(test_path("run-9.varve")), 0);
    cr_assert_ok(varve_prune_data_files(directory, &error), error);
    cr_assert_eq(rmdir(test_path("layers")), 0, "unreferenced data");
    restore_number(7);
    cr_assert_ok(train(prefix, 8, &error), error); /* and continue from there */
    restore_number(8);
}
