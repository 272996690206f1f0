/* runner.c - the main function of a program of tests: each that Criterion's
 * macro has registered, in a fork of this process.
 *
 *     PROGRAM [--filter PATTERN] [-jN] [--list]
 *
 * PATTERN is one of the shell, with its extensions, for SUITE/NAME. Criterion's
 * own runner starts the program anew for each test, with all the libraries that
 * it needs itself, and talks with it over sockets. A test passes if it came to
 * its end, no assertion failed in it or in a child of its, and it exited with
 * 0. What the tests here do not use, it refuses: time limits, fixtures,
 * expected signals, parameters.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "support/runner.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <criterion/criterion.h>

enum { MOST_JOBS = 64, USAGE = 2 };

/* The section that the macro writes to, and that of its suites. */
extern struct criterion_test *__start_cr_tst[], *__stop_cr_tst[];
extern struct criterion_suite *__start_cr_sts[] __attribute__((weak));

struct job {
    pid_t process; /* 0: free */
    const struct criterion_test *test;
    struct timespec begin;
};

static struct {
    const char *pattern;
    int job_count;
    bool is_list;
    struct job jobs[MOST_JOBS];
    struct test_outcome *outcomes; /* of each job */
    int tested, failed, crashed;   /* what crashed has failed too */
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

/* In the child. */
static void be_test(const struct criterion_test *test, struct job *job)
{
    test_outcome = &runner.outcomes[job - runner.jobs];
    test->test();
    test_outcome->finished = true;
    exit(EXIT_SUCCESS);
}

static bool start(const struct criterion_test *test, struct job *job)
{
    memset(&runner.outcomes[job - runner.jobs], 0, sizeof *runner.outcomes);
    clock_gettime(CLOCK_MONOTONIC, &job->begin);
    job->test = test;
    job->process = fork();
    if (job->process == 0)
        be_test(test, job);
    if (job->process < 0) {
        perror("runner: fork");
        job->process = 0;
        return false;
    }
    return true;
}

static double seconds_since(const struct timespec *begin)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - begin->tv_sec) +
           1e-9 * (double)(now.tv_nsec - begin->tv_nsec);
}

static void judge(struct job *job, int status)
{
    const struct criterion_test *test = job->test;
    const struct test_outcome *outcome = &runner.outcomes[job - runner.jobs];
    job->process = 0;
    runner.tested++;
    if (WIFSIGNALED(status)) {
        runner.failed++;
        runner.crashed++;
        fprintf(stderr, "[----] %s:%u: Unexpected signal: %s\n",
            test->data->file_, test->data->line_, strsignal(WTERMSIG(status)));
        fprintf(stderr, "[FAIL] %s::%s: CRASH!\n", test->category, test->name);
        return;
    }
    bool passed = outcome->finished && !outcome->failed && status == 0;
    if (passed)
        return;
    runner.failed++;
    if (!outcome->finished || !outcome->failed)
        fprintf(stderr, "[----] %s:%u: Unexpected exit with %d\n",
            test->data->file_, test->data->line_, WEXITSTATUS(status));
    fprintf(stderr, "[FAIL] %s::%s: (%.2fs)\n", test->category, test->name,
        seconds_since(&job->begin));
}

/* Ends when a test has: its job, which is free then; NULL if none runs. */
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

static bool run(size_t count)
{
    int running = 0;
    for (size_t i = 0; i < count; i++) {
        const struct criterion_test *test = __start_cr_tst[i];
        if (fnmatch(runner.pattern, identifier(test), FNM_EXTMATCH) != 0)
            continue;
        if (runner.is_list) {
            puts(identifier(test));
            continue;
        }
        bool is_full = running == runner.job_count;
        struct job *job = is_full ? next_free() : &runner.jobs[running++];
        if (!job || !start(test, job))
            return false;
    }
    while (next_free())
        ;
    return true;
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

static int show_sum(void)
{
    fprintf(stderr,
        "[====] Synthesis: Tested: %d | Passing: %d | Failing: %d | "
        "Crashing: %d\n",
        runner.tested, runner.tested - runner.failed, runner.failed,
        runner.crashed);
    return runner.failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(int argument_count, char **arguments)
{
    (void)argument_count;
    size_t count = (size_t)(__stop_cr_tst - __start_cr_tst);
    if (!read_arguments(arguments)) {
        fprintf(stderr, "usage: %s [--filter PATTERN] [-jN] [--list]\n",
            arguments[0]);
        return USAGE;
    }
    if (!are_plain(count))
        return USAGE;
    qsort(__start_cr_tst, count, sizeof *__start_cr_tst, compare);
    runner.outcomes = mmap(NULL, MOST_JOBS * sizeof *runner.outcomes,
        PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (runner.outcomes == MAP_FAILED) {
        perror("runner: mmap");
        return USAGE;
    }
    if (!run(count))
        return USAGE;
    return runner.is_list ? EXIT_SUCCESS : show_sum();
}
