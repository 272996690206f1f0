/* unity.h - Replaces the header of Unity, which is not in Debian: its include
 * guard and the macros that a test with testing.h uses.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef UNITY_FRAMEWORK_H
#define UNITY_FRAMEWORK_H

#include <setjmp.h>
#include <stdio.h>

void setUp(void);
void tearDown(void);

static jmp_buf unity_test;
static int unity_failures;

static void unity_fail(int line, const char *message)
{
    printf("%s:%d:FAIL: %s\n", __FILE__, line, message);
    unity_failures++;
    longjmp(unity_test, 1);
}

#define TEST_FAIL_MESSAGE(message) unity_fail(__LINE__, (message))
#define UNITY_BEGIN() (void)0
#define UNITY_END() (unity_failures)
#define RUN_TEST(test)                                                         \
    do {                                                                       \
        setUp();                                                               \
        if (setjmp(unity_test) == 0)                                           \
            test();                                                            \
        tearDown();                                                            \
    } while (0)

#endif
