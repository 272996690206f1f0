/* test_failure.c - Tests the texts and numbers of errors.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <errno.h>
#include <string.h>

#include "failure.h"

static const char cut[] =
    "\n(the message is cut; the report of varve_dry_run has all lines)";

/* Returns a text of `size` bytes that repeats a two-byte character. */
static const char *wide_text(size_t size)
{
    static char text[10000];
    for (size_t i = 0; i < size; i++)
        text[i] = i % 2 ? '\xa4' : '\xc3';
    text[size] = '\0';
    return text;
}

static bool ends_with(const char *text, const char *ending)
{
    size_t size = strlen(text), ending_size = strlen(ending);
    return size >= ending_size &&
           strcmp(text + size - ending_size, ending) == 0;
}

TEST(failure, names_every_status)
{
    cr_assert_str_eq(varve_status_name(VARVE_OK), "VARVE_OK");
    cr_assert_str_eq(varve_status_name(VARVE_IO), "VARVE_IO");
    cr_assert_str_eq(varve_status_name(VARVE_CORRUPT), "VARVE_CORRUPT");
    cr_assert_str_eq(varve_status_name(VARVE_LIMIT), "VARVE_LIMIT");
    cr_assert_str_eq(varve_status_name(VARVE_PARTIALLY_RESTORED),
        "VARVE_PARTIALLY_RESTORED");
    cr_assert_str_eq(varve_status_name(VARVE_TIMEOUT), "VARVE_TIMEOUT");
    cr_assert_str_eq(
        varve_status_name(VARVE_DISCONNECTED), "VARVE_DISCONNECTED");
    cr_assert_str_eq(varve_status_name((varve_status)26), "unknown status");
    cr_assert_str_eq(varve_status_name((varve_status)-1), "unknown status");
}

TEST(failure, fills_in_an_error_and_returns_its_status)
{
    varve_error error = { .system_error = 5 };
    cr_assert_eq(vv_fail(&error, VARVE_LIMIT, "f: %d names, at most %d", 9, 8),
        VARVE_LIMIT);
    cr_assert_eq(error.status, VARVE_LIMIT);
    cr_assert_eq(error.system_error, 0);
    cr_assert_str_eq(error.message, "f: 9 names, at most 8");
    cr_assert_eq(vv_fail_memory(&error, "the graph"), VARVE_NO_MEMORY);
    cr_assert_str_eq(error.message, "out of memory: the graph");
}

TEST(failure, of_null_keeps_the_existing_failure)
{
    varve_error error = { 0 };
    cr_assert_eq(vv_fail_none(NULL, "thing", "a call"), VARVE_MISUSE);
    cr_assert_eq(vv_fail_none(&error, "thing", "a call"), VARVE_MISUSE);
    cr_assert_str_eq(error.message,
        "thing is NULL, perhaps because a call failed");
    vv_fail(&error, VARVE_LIMIT, "f: too many");
    cr_assert_eq(vv_fail_none(&error, "thing", "a call"), VARVE_LIMIT);
    cr_assert_str_eq(error.message, "f: too many");
    error.status = (varve_status)26;
    cr_assert_eq(vv_fail_none(&error, "thing", "a call"), VARVE_MISUSE);
    memset(error.message, 'x', sizeof error.message);
    error.status = VARVE_LIMIT;
    cr_assert_eq(vv_fail_none(&error, "thing", "a call"), VARVE_MISUSE);
}

TEST(failure, accepts_a_null_error)
{
    cr_assert_eq(vv_fail(NULL, VARVE_LIMIT, "f"), VARVE_LIMIT);
    cr_assert_eq(vv_fail_memory(NULL, "f"), VARVE_NO_MEMORY);
    cr_assert_eq(vv_fail_system(NULL, EISDIR, "open", "f"), VARVE_IS_DIRECTORY);
    cr_assert_not(vv_error_add_line(NULL, "f"));
}

TEST(failure, maps_errno_values_to_statuses)
{
    static const struct {
        int number;
        varve_status status;
    } cases[] = {
        { ENOENT, VARVE_NOT_FOUND }, { ENOTDIR, VARVE_NOT_FOUND },
        { EEXIST, VARVE_EXISTS }, { EACCES, VARVE_NO_PERMISSION },
        { EPERM, VARVE_NO_PERMISSION }, { EROFS, VARVE_IO },
        { ENOSPC, VARVE_NO_SPACE }, { EDQUOT, VARVE_NO_SPACE },
        { EFBIG, VARVE_NO_SPACE }, { ENOMEM, VARVE_NO_MEMORY },
        { EISDIR, VARVE_IS_DIRECTORY }, { EIO, VARVE_IO },
        { EINVAL, VARVE_IO },
    };
    varve_error error;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_assert_eq(vv_fail_system(&error, cases[i].number, "open", "a/b"),
            cases[i].status);
        cr_assert_eq(error.system_error, cases[i].number);
        char expected[200] = "a/b: open failed: ";
        strcat(expected, strerror(cases[i].number));
        cr_assert_str_eq(error.message, expected);
    }
}

TEST(failure, truncates_a_long_message_at_a_character_with_a_mark)
{
    varve_error error;
    for (size_t size = VARVE_MESSAGE_SIZE - 10; size < 9000; size++) {
        const char *text = wide_text(size / 2 * 2);
        vv_fail(&error, VARVE_LIMIT, "%s%s", size % 2 ? "x" : "", text);
        size_t length = strlen(error.message);
        if (size < VARVE_MESSAGE_SIZE) {
            cr_assert_eq(length, size);
            continue;
        }
        cr_assert_geq(length, VARVE_MESSAGE_SIZE - 2);
        cr_assert(ends_with(error.message, "\xa4..."));
        size = size < 5000 ? size : size + 999;
    }
}

TEST(failure, adds_lines_until_the_message_is_full)
{
    varve_error error;
    for (size_t size = 0; size < 300; size += 7) {
        size_t lines = 0;
        vv_fail(&error, VARVE_MISMATCH, "first");
        while (vv_error_add_line(&error, "%s", wide_text(size)))
            lines++;
        size_t kept = strlen("first") + lines * (size + 1);
        cr_assert_eq(strlen(error.message), kept + strlen(cut));
        cr_assert(ends_with(error.message, cut));
        cr_assert_gt(kept + size + 1 + sizeof cut, VARVE_MESSAGE_SIZE);
        cr_assert_not(vv_error_add_line(&error, "short"));
        cr_assert_eq(strlen(error.message), kept + strlen(cut));
    }
}

TEST(failure, keeps_its_last_line_and_drops_lines_before_it)
{
    varve_error error;
    static char lines[VARVE_MESSAGE_SIZE * 2];
    for (size_t count = 0; count * 7 < sizeof lines - 8; count++) {
        vv_fail(&error, VARVE_UNMATCHED, "first");
        vv_error_add_lines_and_last(&error, lines, "hint: last");
        cr_assert(ends_with(error.message, "\nhint: last"));
        size_t kept = strlen("first") + count * 7;
        bool is_cut = strstr(error.message, cut) != NULL;
        size_t rest = strlen("\nhint: last") + (is_cut ? strlen(cut) : 0);
        if (!is_cut)
            cr_assert_eq(strlen(error.message), kept + rest);
        else
            cr_assert_eq((strlen(error.message) - rest - 5) % 7, 0);
        cr_assert(is_cut || kept + rest + strlen(cut) < VARVE_MESSAGE_SIZE + 9);
        strcat(lines, "\n  line");
    }
    vv_error_add_lines_and_last(NULL, "", "");
}

TEST(failure, marks_missing_lines_with_any_first_line)
{
    varve_error error;
    for (size_t size = 0; size < 9000; size += 1 + size / 100) {
        vv_fail(&error, VARVE_MISMATCH, "x%s", wide_text(size / 2 * 2));
        cr_assert_not(vv_error_add_line(&error, "%s", wide_text(5000)));
        cr_assert(ends_with(error.message, cut));
        size_t kept = strlen(error.message) - strlen(cut);
        cr_assert(kept == 1 || error.message[kept - 1] == '\xa4' ||
                  error.message[kept - 1] == '.');
    }
}

TEST(failure, refuses_values_in_reserved_fields)
{
    struct later {
        uint64_t newer; /* it has reused the first word of the text */
        void *reserved[7];
    } later = { .newer = 1 };
    const struct later *options = NULL;
    varve_error error = { 0 };
    cr_assert_eq(VV_CHECK_OPTIONS(options, &error), VARVE_OK);
    options = &later;
    cr_assert_eq(VV_CHECK_OPTIONS(options, &error), VARVE_OK);
    for (size_t i = 0; i < 7; i++) {
        later.reserved[i] = &later;
        cr_assert_eq(VV_CHECK_OPTIONS(options, &error), VARVE_TOO_NEW);
        later.reserved[i] = NULL;
    }
}

TEST(failure, keeps_status_errno_and_lines_of_its_reason)
{
    varve_error error = { 0 }, reason = { 0 };
    vv_fail_system(&reason, EMFILE, "open", "a");
    vv_error_add_line(&reason, "  one");
    vv_error_add_line(&reason, "  two");
    cr_assert_eq(vv_fail_because(&error, &reason, "copy of %s", "b"), VARVE_IO);
    cr_assert_eq(error.status, VARVE_IO);
    cr_assert_eq(error.system_error, EMFILE);
    cr_assert(strstr(error.message, "copy of b: a: open failed: "));
    cr_assert(ends_with(error.message, "\n  one\n  two"));
    cr_assert_eq(vv_fail_because(NULL, &reason, "copy"), VARVE_IO);
}
