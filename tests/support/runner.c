/* runner.c - Contains the main function of test programs: runs each registered
 * Criterion test in a fork of this process.
 *
 *     PROGRAM [--filter PATTERN] [-jN] [--list]
 *
 * PATTERN is an extended shell pattern for SUITE/NAME. Criterion's own runner
 * restarts the program for each test, with all libraries that it needs itself,
 * and communicates over sockets. A test passes if it reaches its end, no
 * assertion failed in it or in its child processes, and it exited with 0.
 * Features that the tests here do not use are refused: time limits, fixtures,
 * expected signals, parameters. On SIGTERM, which meson sends after a timeout,
 * the runner kills the running tests and prints their names.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "support/runner.h"

#include <errno.h>
#include <fnmatch.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "support/leak_roots.h"

enum { MOST_JOBS = 64, USAGE = 2 };

/* The section that the macro writes to, and that of its suites. */
extern struct criterion_test *__start_cr_tst[], *__stop_cr_tst[];
extern struct criterion_suite *__start_cr_sts[] __attribute__((weak));

struct job {
    pid_t process; /* 0: free */
    const struct criterion_test *test;
    struct test_outcome *outcome;
    struct timespec begin;
};

static struct {
    const char *pattern;
    int job_count;
    bool is_list;
    struct job jobs[MOST_JOBS];
    struct test_outcome *outcomes; /* of each test */
    volatile sig_atomic_t is_over; /* SIGTERM was received */
    int tested, failed, crashed;   /* crashed tests are included in `failed` */
} runner = { .pattern = "*" };

static const char *identifier(const struct criterion_test *test)
{
    return test->data->identifier_;
}

static int compare(const void *left, const void *right)
{
    const struct criterion_test *const *a = left, *const *b = right;
    return strcmp(identifier(*a), identifier(*b));
}

static bool is_plain(const struct criterion_test *test)
{
    const struct criterion_test_extra_data *data = test->data;
    return data->kind_ == CR_TEST_NORMAL && !data->init && !data->fini &&
           !data->signal && !data->exit_code && !data->disabled &&
           data->timeout == 0;
}

static bool are_plain(size_t count)
{
    if (__start_cr_sts) {
        fprintf(stderr, "runner: expected no TestSuite, found one\n");
        return false;
    }
    for (size_t i = 0; i < count; i++)
        if (!is_plain(__start_cr_tst[i])) {
            fprintf(stderr, "runner: %s: expected no options, found some\n",
                identifier(__start_cr_tst[i]));
            return false;
        }
    return true;
}

/* Called in a handler, or when no more tests are started. */
static void end_jobs(int signal)
{
    (void)signal;
    runner.is_over = true;
    for (int i = 0; i < runner.job_count; i++)
        if (runner.jobs[i].process > 0)
            kill(runner.jobs[i].process, SIGKILL);
}

/* Runs in the child, and restores the signal mask of the runner. Processes that
 * it forks must not reach the end of the body: they would be taken for the
 * test. */
static void be_test(const struct criterion_test *test, const sigset_t *mask)
{
    pid_t self = getpid();
    signal(SIGTERM, SIG_DFL);
    sigprocmask(SIG_SETMASK, mask, NULL);
    test->test();
    if (getpid() != self)
        cr_assert_fail("a child came to the end of the test");
    test_outcome->finished = true;
    add_leak_roots(); /* of modules that the test loaded */
    exit(EXIT_SUCCESS);
}

/* Returns false if SIGTERM was received, or if fork() fails. SIGTERM is blocked
 * until the process is recorded in the job, so that end_jobs() kills it. */
static bool start(size_t number, struct job *job)
{
    sigset_t term, mask;
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    clock_gettime(CLOCK_MONOTONIC, &job->begin);
    job->test = __start_cr_tst[number];
    test_outcome = job->outcome = &runner.outcomes[number];
    sigprocmask(SIG_BLOCK, &term, &mask);
    pid_t process = runner.is_over ? -1 : fork();
    if (process == 0)
        be_test(job->test, &mask);
    if (process < 0 && !runner.is_over)
        perror("runner: fork");
    job->process = process > 0 ? process : 0;
    sigprocmask(SIG_SETMASK, &mask, NULL);
    return process > 0;
}

static double seconds_since(const struct timespec *begin)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - begin->tv_sec) +
           1e-9 * (double)(now.tv_nsec - begin->tv_nsec);
}

static void fail(const struct criterion_test *test, const char *how)
{
    runner.failed++;
    fprintf(stderr, "[FAIL] %s::%s: %s\n", test->category, test->name, how);
}

static void judge(struct job *job, int status)
{
    const struct criterion_test *test = job->test;
    char how[32];
    job->process = 0;
    runner.tested++;
    if (WIFSIGNALED(status)) {
        runner.crashed++;
        fprintf(stderr, "[----] %s:%u: Unexpected signal: %s\n",
            test->data->file_, test->data->line_, strsignal(WTERMSIG(status)));
        fail(test, "CRASH!");
    } else if (job->outcome->failed || !job->outcome->finished || status != 0) {
        if (!job->outcome->failed)
            fprintf(stderr, "[----] %s:%u: Unexpected exit with %d\n",
                test->data->file_, test->data->line_, WEXITSTATUS(status));
        snprintf(how, sizeof how, "(%.2fs)", seconds_since(&job->begin));
        fail(test, how);
    } else
        return;
    job->outcome->failed = false; /* already reported */
}

/* Waits for the end of a test and returns its job, which is then free. Returns
 * NULL if none is running. */
static struct job *next_free(void)
{
    for (;;) {
        int status;
        pid_t process = waitpid(-1, &status, 0);
        if (process < 0 && errno != EINTR)
            return NULL;
        for (int i = 0; process > 0 && i < runner.job_count; i++)
            if (runner.jobs[i].process == process) {
                judge(&runner.jobs[i], status);
                return &runner.jobs[i];
            }
    }
}

/* Processes left by a test may have failed after its end. */
static void judge_late(size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (runner.outcomes[i].failed)
            fail(__start_cr_tst[i], "after its end");
}

static bool is_chosen(size_t number)
{
    const char *name = identifier(__start_cr_tst[number]);
    return fnmatch(runner.pattern, name, FNM_EXTMATCH) == 0;
}

/* Returns false if not all selected tests were run. */
static bool run(size_t count)
{
    int running = 0;
    for (size_t i = 0; i < count && !runner.is_over; i++) {
        if (!is_chosen(i))
            continue;
        bool is_full = running == runner.job_count;
        struct job *job = is_full ? next_free() : &runner.jobs[running++];
        if (!job || !start(i, job))
            end_jobs(0);
    }
    while (next_free())
        ;
    judge_late(count);
    return !runner.is_over;
}

static size_t list(size_t count)
{
    size_t chosen = 0;
    for (size_t i = 0; i < count; i++)
        if (is_chosen(i)) {
            chosen++;
            if (runner.is_list)
                puts(identifier(__start_cr_tst[i]));
        }
    return chosen;
}

static bool read_arguments(char **arguments)
{
    for (char **at = arguments + 1; *at; at++)
        if (strcmp(*at, "--filter") == 0 && at[1])
            runner.pattern = *++at;
        else if (strncmp(*at, "-j", 2) == 0)
            runner.job_count = atoi(*at + 2);
        else if (strcmp(*at, "--list") == 0)
            runner.is_list = true;
        else
            return false;
    if (runner.job_count == 0)
        runner.job_count = (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (runner.job_count > MOST_JOBS)
        runner.job_count = MOST_JOBS;
    return runner.job_count > 0;
}

static int show_sum(bool is_whole)
{
    fprintf(stderr,
        "[====] Synthesis: Tested: %d | Passing: %d | Failing: %d | "
        "Crashing: %d\n",
        runner.tested, runner.tested - runner.failed, runner.failed,
        runner.crashed);
    if (!is_whole)
        fprintf(stderr, "runner: ended before all tests were run\n");
    return runner.failed || !is_whole ? EXIT_FAILURE : EXIT_SUCCESS;
}

static bool make_room(size_t count)
{
    runner.outcomes = mmap(NULL, count * sizeof *runner.outcomes,
        PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (runner.outcomes != MAP_FAILED)
        return true;
    perror("runner: mmap");
    return false;
}

int main(int argument_count, char **arguments)
{
    (void)argument_count;
    add_leak_roots();
    size_t count = (size_t)(__stop_cr_tst - __start_cr_tst);
    if (!read_arguments(arguments)) {
        fprintf(stderr, "usage: %s [--filter PATTERN] [-jN] [--list]\n",
            arguments[0]);
        return USAGE;
    }
    if (!are_plain(count) || !make_room(count))
        return USAGE;
    qsort(__start_cr_tst, count, sizeof *__start_cr_tst, compare);
    if (list(count) == 0) {
        fprintf(stderr, "runner: expected a test like %s, found none\n",
            runner.pattern);
        return USAGE;
    }
    if (runner.is_list)
        return EXIT_SUCCESS;
    sigaction(SIGTERM, &(struct sigaction){ .sa_handler = end_jobs }, NULL);
    return show_sum(run(count));
}
