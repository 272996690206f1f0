/* test_outputs.c - Tests that the output of a killed and resumed program equals
 * that of an uninterrupted one.
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
#include <sys/wait.h>
#include <unistd.h>

#include <varve/rank_local.h>
#include <varve/collective.h>

#include "support/thread_comm.h"

enum { STEPS = 120, INTERVAL = 7, LONG = 3000, RANKS = 3 };

struct program {
    uint64_t number;
    int64_t step;
    FILE *log;
    int trace;
    varve_run *run;
};

static void begin(struct program *p)
{
    *p = (struct program){ .number = 1 };
    p->log = fopen(test_path("log"), "a");
    p->trace = open(test_path("trace"), O_WRONLY | O_CREAT | O_APPEND, 0666);
    p->run = varve_run_new(NULL);
    varve_node *root = varve_run_root(p->run);
    varve_add_variable(root, "number", varve_scalar(&p->number));
    varve_add_variable(root, "step", varve_scalar(&p->step));
    varve_add_output(root, "log", p->log);
    varve_run_open(p->run, test_path("run"),
        &(varve_run_options){ .manager = { .interval_steps = INTERVAL,
            .async = true } });
    /* Without a checkpoint, the output of an earlier process is discarded. */
    if (varve_run_should_continue(p->run) && !varve_run_is_resumed(p->run))
        cr_assert_eq(ftruncate(fileno(p->log), 0) |
            ftruncate(p->trace, 0), 0);
    varve_add_output_descriptor(root, "trace", p->trace); /* later */
}

static void put_step(struct program *p)
{
    char line[64];
    p->number = p->number * 6364136223846793005u + 1;
    p->step++;
    fprintf(p->log, "%d: %llu\n", (int)p->step,
        (unsigned long long)p->number);
    int size = snprintf(line, sizeof line, "%d ", (int)p->step);
    cr_assert_eq(write(p->trace, line, (size_t)size), size);
}

/* Runs until it is killed after some steps, or to the end. */
static void live(int steps, bool flushes)
{
    struct program p;
    varve_error error;
    begin(&p);
    while (p.step < STEPS && varve_run_should_continue(p.run)) {
        put_step(&p);
        if (flushes)
            fflush(p.log);
        if (steps-- == 0)
            raise(SIGKILL);
        varve_run_step(p.run, p.step);
    }
    cr_assert_ok(varve_run_end(p.run, &error), error);
    fclose(p.log);
    close(p.trace);
}

static bool dies(int steps, bool flushes)
{
    int status;
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        live(steps, flushes);
        _exit(0);
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFSIGNALED(status) ? WTERMSIG(status) == SIGKILL
                                  : WEXITSTATUS(status) == 0);
    return WIFSIGNALED(status);
}

static void check_file(const char *name, const void *wanted, size_t size)
{
    size_t found;
    void *bytes = test_read_file(test_path(name), &found);
    cr_assert_eq(found, size, "%s: %zu bytes, not %zu", name, found, size);
    cr_assert_eq(memcmp(bytes, wanted, size), 0, "%s", name);
    free(bytes);
}

/* The first process ends before its first save. */
TEST(outputs, of_a_killed_program_equal_those_of_an_uninterrupted_one)
{
    size_t log_size, trace_size;
    cr_assert_not(dies(STEPS, false));
    void *log = test_read_file(test_path("log"), &log_size);
    void *trace = test_read_file(test_path("trace"), &trace_size);
    cr_assert_gt(log_size, STEPS);
    for (int way = 0; way < 2; way++) {
        char command[600];
        snprintf(command, sizeof command, "rm -r '%s'", test_path("run"));
        cr_assert_eq(system(command), 0);
        cr_assert(dies(5, way));
        int lives = 1;
        while (dies(INTERVAL + 9 + lives * 3, way))
            lives++;
        cr_assert_gt(lives, 3);
        check_file("log", log, log_size);
        check_file("trace", trace, trace_size);
    }
    free(log);
    free(trace);
}

/* The length of the output is recorded before the save returns. */
TEST(outputs, exclude_text_written_during_a_save)
{
    FILE *log = fopen(test_path("log"), "w");
    varve_graph *graph = varve_graph_new(test_allocator());
    varve_node *root = varve_graph_root(graph);
    varve_error error = { 0 };
    int64_t step = 1;
    varve_add_variable(root, "step", varve_scalar(&step));
    varve_add_output(root, "log", log);
    fputs("before\n", log);
    varve_job *job =
        varve_write_async(root, test_path("a.varve"), NULL, &error);
    cr_assert_not_null(job, "%s", error.message);
    for (int i = 0; i < LONG; i++)
        fputs("during\n", log);
    fflush(log);
    cr_assert_ok(varve_job_wait(job, &error), error);
    varve_job_free(job);
    varve_restoration *r =
        varve_read(root, test_path("a.varve"), NULL, &error);
    cr_assert_not_null(r, "%s", error.message);
    varve_restoration_free(r);
    fputs("after\n", log);
    fclose(log);
    check_file("log", "before\nafter\n", 13);
    varve_graph_free(graph);
}

/* An output file that was truncated is not resumed. */
TEST(outputs, that_are_too_short_are_not_resumed)
{
    struct program p;
    varve_error error = { 0 };
    live(STEPS + 1, false);
    cr_assert_eq(truncate(test_path("log"), 3), 0);
    p.log = fopen(test_path("log"), "a");
    p.run = varve_run_new(NULL);
    p.number = 4;
    varve_node *root = varve_run_root(p.run);
    varve_add_variable(root, "number", varve_scalar(&p.number));
    varve_add_output(root, "log", p.log);
    varve_run_open(p.run, test_path("run"), NULL);
    cr_assert_not(varve_run_should_continue(p.run));
    cr_assert_eq(p.number, 4);
    cr_assert_eq(varve_run_end(p.run, &error), VARVE_MISMATCH);
    cr_assert_not_null(strstr(error.message, "found 3: open the file that"),
        "%s", error.message);
    fclose(p.log);
}

/* The checkpoint is older than the output. */
TEST(outputs, missing_in_a_checkpoint_are_unchanged)
{
    varve_error error = { 0 };
    int64_t step = 3;
    FILE *log = fopen(test_path("log"), "w");
    varve_graph *graph = varve_graph_new(test_allocator());
    varve_node *root = varve_graph_root(graph);
    varve_add_variable(root, "step", varve_scalar(&step));
    cr_assert_ok(
        varve_write(root, test_path("a.varve"), NULL, &error), error);
    varve_add_output(root, "log", log);
    fputs("text\n", log);
    varve_restoration *r =
        varve_read(root, test_path("a.varve"), NULL, &error);
    cr_assert_not_null(r, "%s", error.message);
    cr_assert_eq(varve_assert_consumed(r, &error), VARVE_UNMATCHED);
    cr_assert_not_null(strstr(error.message, "log"), "%s", error.message);
    varve_restoration_free(r);
    fclose(log);
    check_file("log", "text\n", 5);
    varve_graph_free(graph);
}

/* An evaluator in another process excludes the log. */
TEST(outputs, excluded_from_a_restoration_are_not_truncated)
{
    varve_error error = { 0 };
    FILE *log = fopen(test_path("log"), "w");
    varve_graph *graph = varve_graph_new(test_allocator());
    varve_node *root = varve_graph_root(graph);
    int64_t step = 1;
    varve_add_variable(root, "step", varve_scalar(&step));
    varve_add_output(root, "log", log);
    fputs("one\n", log);
    cr_assert_ok(
        varve_write(root, test_path("a.varve"), NULL, &error), error);
    fputs("two\n", log);
    step = 2;
    varve_restoration *r = varve_read(root, test_path("a.varve"),
        &(varve_read_options){ .except = "log" }, &error);
    cr_assert_not_null(r, "%s", error.message);
    varve_restoration_free(r);
    cr_assert_eq(step, 1);
    fclose(log);
    check_file("log", "one\ntwo\n", 8);
    varve_graph_free(graph);
}

/* --- Many processes ------------------------------------------------------- */

static const char *path_of_rank(char path[512], uint32_t rank)
{
    snprintf(path, 512, "%s-%u", test_path("log"), (unsigned)rank);
    return path;
}

static varve_graph *build_rank(
    const varve_comm *comm, int64_t *step, FILE *log)
{
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_add_variable(root, "step", varve_scalar(step));
    varve_node *mine = varve_add_rank_local(root, "mine", comm, NULL);
    varve_add_output(mine, "log", log);
    return graph;
}

static void save_ranks(const varve_comm *comm, void *user)
{
    char path[512];
    int64_t step = 9;
    varve_status *status = user;
    FILE *log = fopen(path_of_rank(path, comm->rank), "w");
    varve_graph *graph = build_rank(comm, &step, log);
    for (uint32_t i = 0; i <= comm->rank; i++)
        fputs("before\n", log);
    status[comm->rank] = varve_write_all(
        comm, varve_graph_root(graph), test_path("all"), NULL, NULL);
    fputs("after\n", log);
    varve_graph_free(graph);
    fclose(log);
}

struct ranks {
    int64_t steps[RANKS];
    varve_error errors[RANKS];
};

static void restore_ranks(const varve_comm *comm, void *user)
{
    char path[512];
    struct ranks *all = user;
    int64_t *step = &all->steps[comm->rank];
    *step = 1;
    FILE *log = fopen(path_of_rank(path, comm->rank), "a");
    varve_graph *graph = build_rank(comm, step, log);
    varve_restoration_free(varve_read_all(comm, varve_graph_root(graph),
        test_path("all"), NULL, &all->errors[comm->rank]));
    varve_graph_free(graph);
    fclose(log);
}

static void check_ranks(const char *after)
{
    for (uint32_t i = 0; i < RANKS; i++) {
        char path[512], wanted[100] = "";
        size_t size;
        for (uint32_t k = 0; k <= i; k++)
            strcat(wanted, "before\n");
        strcat(wanted, after);
        char *text = test_read_file(path_of_rank(path, i), &size);
        cr_assert_eq(size, strlen(wanted), "rank %u: %.*s", (unsigned)i,
            (int)size, text);
        cr_assert_eq(memcmp(text, wanted, size), 0);
        free(text);
    }
}

/* No rank truncates its output if that of another is too short. */
TEST(outputs, of_many_processes_are_truncated_all_or_none)
{
    struct ranks all = { .errors = { { 0 } } };
    varve_status status[RANKS];
    char path[512];
    thread_comm_run(RANKS, 0, -1, save_ranks, status);
    for (int i = 0; i < RANKS; i++)
        cr_assert_eq(status[i], VARVE_OK);
    check_ranks("after\n");
    path_of_rank(path, 1);
    char spare[520];
    snprintf(spare, sizeof spare, "%s-spare", path);
    cr_assert_eq(rename(path, spare), 0);
    thread_comm_run(RANKS, 0, -1, restore_ranks, &all);
    for (int i = 0; i < RANKS; i++) {
        cr_assert_eq(all.errors[i].status, VARVE_MISMATCH, "%s",
            all.errors[i].message);
        cr_assert_eq(all.steps[i], 1);
    }
    cr_assert_eq(rename(spare, path), 0);
    check_ranks("after\n");
    all = (struct ranks){ .errors = { { 0 } } };
    thread_comm_run(RANKS, 0, -1, restore_ranks, &all);
    for (int i = 0; i < RANKS; i++)
        cr_assert_eq(all.steps[i], 9, "%s", all.errors[i].message);
    check_ranks("");
}
