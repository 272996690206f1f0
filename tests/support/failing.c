/* failing.c - tests that fail in every way there is, and some that do not, for
 * check_runner.py.
 *
 * SPDX-License-Identifier: MIT
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

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
}
TEST(bad, text)
{
    cr_assert_str_eq("one", "two");
}
TEST(bad, pointer)
{
    cr_assert_null(test_path("file"));
}
TEST(bad, words)
{
    cr_assert(false, "in %d words", 3);
}
TEST(bad, crash)
{
    abort();
}
TEST(bad, leaves_with_0)
{
    exit(0);
}
TEST(bad, leaves_with_3)
{
    exit(3);
}
TEST(bad, leak)
{
    const varve_allocator *a = test_allocator();
    cr_assert(a->function(NULL, NULL, 0, 8));
}

TEST(bad, goes_on)
{
    cr_expect(false, "the first");
    cr_expect(false, "the second");
}

/* Nobody looks at how it ended. */
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

#ifdef WITH_SUITE
TestSuite(good, .timeout = 1);
#elif defined WITH_OPTION
Test(good, has_an_option, .exit_code = 3)
{
    exit(3);
}
#endif
