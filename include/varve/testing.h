/* testing.h - assertions about checkpoints, for the tests of programs.
 *
 *     #include <criterion/criterion.h>
 *     #include <varve/testing.h>
 *
 *     VARVE_TEST_READ(root, "model.varve", NULL);
 *     VARVE_TEST_GOLDEN(root, "golden/model.varve", NULL);
 *
 * A failed assertion fails the test in the way of the framework whose header
 * was included before: Criterion, cmocka, Check or Unity. Without one it prints
 * file, line and reason to standard error and calls abort. A program with
 * another framework defines VARVE_TEST_FAIL(text) before it includes this; the
 * text is valid during the call.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_TESTING_H
#define VARVE_TESTING_H

#include <stdio.h>
#include <stdlib.h>

#include <varve/checkpoint.h>
#include <varve/error.h>
#include <varve/golden.h>
#include <varve/restoration.h>
#include <varve/types.h>

/* --- How a test fails --------------------------------------------------- */

#ifndef VARVE_TEST_FAIL
#if defined(CRITERION_H_)
/* Fails the test with a text, which is valid during the call, in the way of the
 * framework. */
#define VARVE_TEST_FAIL(text) cr_assert_fail("%s", (text))
#elif defined(CMOCKA_H_)
#define VARVE_TEST_FAIL(text) fail_msg("%s", (text))
#elif defined(CHECK_H)
#define VARVE_TEST_FAIL(text) ck_abort_msg("%s", (text))
#elif defined(UNITY_FRAMEWORK_H)
#define VARVE_TEST_FAIL(text) TEST_FAIL_MESSAGE(text)
#else
#define VARVE_TEST_FAIL(text)                                                  \
    (fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, (text)), abort())
#endif
#endif

/* --- Assertions ---------------------------------------------------------- */

/* `call` is a call of Varve that returns a status and fills in the varve_error
 * `varve_test_error`, which the macro declares:
 *
 *     VARVE_TEST_OK(varve_write(root, "a.varve", NULL, &varve_test_error));
 */
#define VARVE_TEST_OK(call)                                                    \
    do {                                                                       \
        varve_error varve_test_error;                                          \
        varve_test_error.status = VARVE_OK;                                    \
        varve_test_error.message[0] = '\0';                                    \
        if ((call) != VARVE_OK)                                                \
            VARVE_TEST_FAIL(varve_test_error.message);                         \
    } while (0)

/* Everything in the file was used, and everything in the program restored. */
#define VARVE_TEST_CONSUMED(restoration)                                       \
    VARVE_TEST_OK(varve_test_consumed((restoration), &varve_test_error))

/* Reads a checkpoint and asserts that, in one call. `options` may be NULL. */
#define VARVE_TEST_READ(root, path, options)                                   \
    VARVE_TEST_OK(varve_test_read((root), (path), (options), &varve_test_error))

/* The program has the names and values of a golden file, which
 * `VARVE_UPDATE_GOLDEN=1 ./test` writes. `options` may be NULL. */
#define VARVE_TEST_GOLDEN(root, path, options)                                 \
    VARVE_TEST_OK(                                                             \
        varve_test_golden((root), (path), (options), &varve_test_error))

/* --- What they call ------------------------------------------------------- */

/* Prints the whole report of a restoration to standard error, where the message
 * of an error has room for some of its lines only. */
static inline void varve_test_print_report(varve_restoration *restoration)
{
    varve_report *report = varve_report_new(restoration, NULL);
    if (report)
        fprintf(stderr, "%s\n", varve_report_text(report));
    varve_report_free(report);
}

static inline varve_status varve_test_consumed(
    varve_restoration *restoration, varve_error *error)
{
    varve_status status = varve_assert_consumed(restoration, error);
    if (status && restoration)
        varve_test_print_report(restoration);
    return status;
}

/* Reads, asserts that all was consumed, and frees the restoration. */
static inline varve_status varve_test_read(varve_node *root, const char *path,
    const varve_read_options *options, varve_error *error)
{
    varve_restoration *restoration = varve_read(root, path, options, error);
    if (!restoration)
        return error->status;
    varve_status status = varve_test_consumed(restoration, error);
    varve_restoration_free(restoration);
    return status;
}

/* Writes the golden file anew, in Varve's format, if the environment variable
 * VARVE_UPDATE_GOLDEN is set and is neither empty nor "0". Else compares. */
static inline varve_status varve_test_golden(varve_node *root, const char *path,
    const varve_golden_options *options, varve_error *error)
{
    const char *update = getenv("VARVE_UPDATE_GOLDEN");
    if (update && *update && !(update[0] == '0' && !update[1]))
        return varve_write(root, path, NULL, error);
    return varve_compare_golden(root, path, options, error);
}

#endif
