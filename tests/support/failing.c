/* failing.c - Contains tests that fail in every possible way, and some that
 * pass, for check_runner.py.
 *
 * SPDX-License-Identifier: MIT
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/leaks.h"
#include "support/test.h"

TEST(good, passes)
{
    cr_assert(test_path("file"));
}

TEST(good, forks)
{
    pid_t child = fork();
    if (child == 0)
        _exit(7);
    cr_assert_eq(waitpid(child, NULL, 0), child);
}

TEST(bad, number)
{
    cr_assert_eq(1, 2);
    puts("went on");
}
TEST(bad, text)
{
    cr_assert_str_eq("one", "two");
}
TEST(bad, pointer)
{
    cr_assert_null(test_path("file"));
}
TEST(bad, message)
{
    cr_assert(false, "in %d words", 3);
}
TEST(bad, crash)
{
    abort();
}
TEST(bad, reads_null)
{
    signal(SIGSEGV, SIG_DFL); /* prevents reports of sanitizers */
    raise(SIGSEGV);
}
TEST(bad, killed)
{
    raise(SIGKILL);
}
TEST(bad, executes_another_program)
{
    execlp("true", "true", NULL);
}
TEST(bad, without_message)
{
    close(STDERR_FILENO);
    cr_assert(false);
}
TEST(bad, exits_with_0)
{
    exit(0);
}
TEST(bad, exits_with_3)
{
    exit(3);
}
static void end_badly(void)
{
    _exit(5); /* as a sanitizer does after an error */
}
TEST(bad, fails_at_exit)
{
    atexit(end_badly);
}
TEST(bad, leak)
{
    const varve_allocator *a = test_allocator();
    cr_assert(a->function(NULL, NULL, 0, 8));
}

#ifdef HAS_LSAN
TEST(bad, leak_of_malloc)
{
    void *volatile block = malloc(8);
    cr_assert(block);
    block = NULL;
}
#endif

TEST(bad, continues)
{
    cr_expect(false, "the first");
    cr_expect(false, "the second");
}

/* Nobody waits for the child. */
TEST(bad, child)
{
    pid_t child = fork();
    if (child == 0)
        cr_assert_fail("in a child");
    cr_assert_eq(waitpid(child, NULL, 0), child);
}

static void *assert_wrong(void *argument)
{
    cr_assert_null(argument, "in a thread");
    return argument;
}

TEST(bad, thread)
{
    static char something;
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, NULL, assert_wrong, &something), 0);
    pthread_join(thread, NULL);
}

/* The runner would mistake the end of the child for that of the test. */
TEST(bad, two_ends)
{
    pid_t child = fork();
    if (child != 0) {
        waitpid(child, NULL, 0);
        exit(0);
    }
}

static void sleep_ms(int ms)
{
    nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000L }, NULL);
}

/* The child asserts long after the end of the test. */
TEST(late, leaves_a_child)
{
    pid_t self = getpid(), child = fork();
    if (child != 0)
        return;
    while (getppid() == self)
        sleep_ms(1);
    sleep_ms(100);
    cr_assert_fail("too late");
}
TEST(later, takes_long)
{
    sleep_ms(1000);
}

static void end_runner(void)
{
    raise(SIGTERM);
}

/* With this variable, the runner receives SIGTERM while it is in fork(). */
__attribute__((constructor)) static void end_runner_in_fork(void)
{
    if (getenv("END_RUNNER_IN_FORK"))
        pthread_atfork(NULL, end_runner, NULL);
}

/* Prints a line for the process that ends it. */
TEST(slow, hangs)
{
    puts("begun");
    fflush(stdout);
    signal(SIGTERM, SIG_IGN);
    for (;;)
        pause();
}

#ifdef WITH_SUITE
WITH_SUITE;
#endif
#ifdef WITH_OPTION
static void nothing(void)
{
}
Test(good, has_an_option, WITH_OPTION)
{
    nothing();
}
#endif
#ifdef WITH_PARAMETERS
#include <criterion/parameterized.h>
ParameterizedTestParameters(good, has_parameters)
{
    static int numbers[] = { 1, 2 };
    return cr_make_param_array(int, numbers, 2);
}
ParameterizedTest(int *number, good, has_parameters)
{
    cr_assert(number);
}
#endif
