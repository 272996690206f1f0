/* assertions.c - Implements the functions that Criterion's macros call, without
 * Criterion's library.
 *
 * A failed assertion prints its message to stderr immediately, in one write,
 * and ends its process with exit, so that its temporary files are removed.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <criterion/criterion.h>
#include <criterion/logging.h>

#include "support/runner.h"

static struct test_outcome without_runner;
struct test_outcome *test_outcome = &without_runner;

struct criterion_options criterion_options;

void criterion_internal_test_setup(void)
{
}
void criterion_internal_test_main(void (*body)(void))
{
    body();
}
void criterion_internal_test_teardown(void)
{
}
void criterion_continue_test(void)
{
}
void cri_asserts_passed_incr(void)
{
}

void criterion_send_assert(struct criterion_assert_stats *stats)
{
    if (stats->passed)
        return;
    test_outcome->failed = true;
    fprintf(stderr, "[----] %s:%u: Assertion Failed\n[----]   %s\n",
        stats->file, stats->line, stats->message);
}

void criterion_abort_test(void)
{
    exit(EXIT_FAILURE);
}

void cr_log(enum criterion_severity severity, const char *format, ...)
{
    (void)severity;
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    fprintf(stderr, "[----] %s\n", line);
}

int cr_asprintf(char **text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    *text = size < 0 ? NULL : malloc((size_t)size + 1);
    if (!*text)
        return -1;
    va_start(arguments, format);
    vsnprintf(*text, (size_t)size + 1, format, arguments);
    va_end(arguments);
    return size;
}

void cr_asprintf_free(char *text)
{
    free(text);
}

/* Returns Criterion's default message for assertions without one. */
static char *say(int number, const char *expression, va_list more)
{
    char *text = NULL;
    if (number == CRITERION_ASSERT_MSG_EXPR_AS_STRINGS_FALSE) {
        const char *actual = va_arg(more, const char *);
        const char *expected = va_arg(more, const char *);
        cr_asprintf(&text,
            "The expression (as strings) %s is false: actual=`%s` "
            "expected=`%s`.",
            expression, actual ? actual : "(null)",
            expected ? expected : "(null)");
    } else if (number == CRITERION_ASSERT_MSG_EXPR_FALSE)
        cr_asprintf(&text, "The expression %s is false.", expression);
    else if (number == CRITERION_ASSERT_MSG_IS_NULL)
        cr_asprintf(&text, "%s is null.", expression);
    else if (number == CRITERION_ASSERT_MSG_IS_NOT_NULL)
        cr_asprintf(&text, "%s is not null.", expression);
    else
        cr_asprintf(&text, "The assertion %s failed.", expression);
    return text;
}

char *cr_translate_assert_msg(int number, ...)
{
    va_list arguments;
    va_start(arguments, number);
    const char *expression = va_arg(arguments, const char *);
    char *text = say(number, expression, arguments);
    va_end(arguments);
    return text;
}
