/* testing.h - Assertions about checkpoints for the tests of a program.
 *
 *     #include <criterion/criterion.h>
 *     #include <varve/testing.h>
 *
 *     VARVE_TEST_READ(root, "model.varve", NULL);
 *     VARVE_TEST_GOLDEN(root, "golden/model.varve", NULL);
 *
 * A failed assertion fails the test through the test framework whose header was
 * included before: Criterion, cmocka, Check or Unity. Without a framework it
 * prints file, line and reason to standard error and calls abort. For another
 * framework define VARVE_TEST_FAIL(text) before you include this header; the
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

/* --- Failing a test ----------------------------------------------------- */

#ifndef VARVE_TEST_FAIL
#if defined(CRITERION_H_)
/* Fails the test with a text, through the test framework. The text is valid
 * during the call. */
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

/* Asserts that a call of Varve returns VARVE_OK.
 *
 * The macro declares the varve_error `varve_test_error`, which `call` must fill
 * in:
 *
 *     VARVE_TEST_OK(varve_write(root, "a.varve", NULL, &varve_test_error)); */
#define VARVE_TEST_OK(call)                                                    \
    do {                                                                       \
        varve_error varve_test_error;                                          \
        varve_test_error.status = VARVE_OK;                                    \
        varve_test_error.message[0] = '\0';                                    \
        if ((call) != VARVE_OK)                                                \
            VARVE_TEST_FAIL(varve_test_error.message);                         \
    } while (0)

/* Asserts that the program uses every value of the file and that every value of
 * the program was restored. */
#define VARVE_TEST_CONSUMED(restoration)                                       \
    VARVE_TEST_OK(varve_test_consumed((restoration), &varve_test_error))

/* Restores a checkpoint and asserts the same as VARVE_TEST_CONSUMED. `options`
 * may be NULL. */
#define VARVE_TEST_READ(root, path, options)                                   \
    VARVE_TEST_OK(varve_test_read((root), (path), (options), &varve_test_error))

/* Asserts that the program has the names and values of a golden file. `options`
 * may be NULL.
 *
 * `VARVE_UPDATE_GOLDEN=1 ./test` writes the golden file instead. */
#define VARVE_TEST_GOLDEN(root, path, options)                                 \
    VARVE_TEST_OK(                                                             \
        varve_test_golden((root), (path), (options), &varve_test_error))

/* --- Functions that the macros call ------------------------------------- */

/* Prints the complete report of a restoration to standard error; the message of
 * an error can contain only its first lines. */
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

/* Restores a checkpoint, checks that all values were used and restored, and
 * frees the restoration. */
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

/* Writes the golden file, in Varve's format, if the environment variable
 * VARVE_UPDATE_GOLDEN is set and is neither empty nor "0". Otherwise compares
 * with it. */
static inline varve_status varve_test_golden(varve_node *root, const char *path,
    const varve_golden_options *options, varve_error *error)
{
    const char *update = getenv("VARVE_UPDATE_GOLDEN");
    if (update && *update && !(update[0] == '0' && !update[1]))
        return varve_write(root, path, NULL, error);
    return varve_compare_golden(root, path, options, error);
}

#endif
