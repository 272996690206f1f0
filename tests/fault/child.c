/* child.c - Runs a test body in a child process and returns how it ended and
 * what it counted.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "fault/child.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/test.h"

enum { FAILED = 1, SKIPPED = 77 };

/* Memory shared with the child. */
static struct results {
    long count;
    char text[1024];
} *results;

long child_run(void (*body)(void))
{
    results = mmap(NULL, sizeof *results, PROT_READ | PROT_WRITE,
        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq((void *)results, MAP_FAILED);
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        body();
        _exit(0);
    }
    int state = 0;
    cr_assert_eq(waitpid(child, &state, 0), child);
    cr_assert_not(WIFSIGNALED(state), "killed by signal %d: %s",
        WTERMSIG(state), results->text);
    bool is_skipped = WEXITSTATUS(state) == SKIPPED;
    /* not a warning of Criterion, which would count as a failure */
    if (is_skipped)
        fprintf(stderr, "skipped: %s\n", results->text);
    cr_assert(is_skipped || WEXITSTATUS(state) == 0, "exit %d: %s",
        WEXITSTATUS(state), results->text);
    long count = is_skipped ? -1 : results->count;
    munmap(results, sizeof *results);
    return count;
}

void child_count(void)
{
    results->count++;
}

void child_expect(bool condition, const char *format, ...)
{
    if (condition)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(results->text, sizeof results->text, format, arguments);
    va_end(arguments);
    _exit(FAILED);
}

_Noreturn void child_skip(const char *reason)
{
    snprintf(results->text, sizeof results->text, "%s", reason);
    _exit(SKIPPED);
}
