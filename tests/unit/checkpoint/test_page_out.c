/* test_page_out.c - lib/checkpoint/page/page_out.c
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "page_out.h"

/* What came out, and when it is to fail. */
static struct {
    char bytes[1 << 18];
    size_t size;
    int calls;
    int fails_at;
} sunk;

static varve_status sink(
    void *user, const void *bytes, size_t size, varve_error *error)
{
    cr_assert_eq(user, &sunk);
    if (++sunk.calls == sunk.fails_at) {
        error->status = VARVE_NO_SPACE;
        strcpy(error->message, "full");
        return VARVE_NO_SPACE;
    }
    cr_assert_leq(sunk.size + size, sizeof sunk.bytes - 1);
    memcpy(sunk.bytes + sunk.size, bytes, size);
    sunk.size += size;
    sunk.bytes[sunk.size] = '\0';
    return VARVE_OK;
}

static varve_error error;

static struct vv_page_out begin(void)
{
    struct vv_page_out out = { .sink = sink, .user = &sunk, .error = &error };
    memset(&sunk, 0, sizeof sunk);
    error.status = VARVE_OK;
    vv_page_out_begin(&out, test_allocator());
    return out;
}

static const char *string_of(const char *text, size_t size)
{
    struct vv_page_out out = begin();
    vv_page_out_string(&out, text, size);
    cr_assert_eq(vv_page_out_end(&out), VARVE_OK);
    return sunk.bytes;
}

TEST(page_out, escapes_what_means_something_to_a_page)
{
    static const char *const pairs[][2] = {
        { "plain name_0.1", "\"plain name_0.1\"" },
        { "</script>", "\"\\u003c/script\\u003e\"" },
        { "<!--&amp;", "\"\\u003c!--\\u0026amp;\"" },
        { "\"\\", "\"\\u0022\\u005c\"" },
        { "\t\n\x1b[0m\x7f", "\"\\u0009\\u000a\\u001b[0m\\u007f\"" },
        { "a\xe2\x80\xae" "b", "\"a\\u202eb\"" },
        { "\xe2\x81\xa6\xe2\x80\x8f\xd8\x9c", "\"\\u2066\\u200f\\u061c\"" },
        { "\xe2\x80\xa8\xe2\x80\xa9\xef\xbb\xbf",
            "\"\\u2028\\u2029\\ufeff\"" },
        { "\xc2\x85\xe2\x80\x8b", "\"\\u0085\\u200b\"" },
        { "\xc3\xa9\xe6\xbc\xa2\xf0\x9f\xa6\x8a",
            "\"\xc3\xa9\xe6\xbc\xa2\xf0\x9f\xa6\x8a\"" },
        { "", "\"\"" },
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        cr_assert_str_eq(
            string_of(pairs[i][0], strlen(pairs[i][0])), pairs[i][1]);
    cr_assert_str_eq(string_of("a\0b", 3), "\"a\\u0000b\"");
}

/* A path or a text of a caller need not be UTF-8. */
TEST(page_out, replaces_what_is_not_utf_8)
{
    static const char *const pairs[][2] = {
        { "a\xff" "b", "\"a\\ufffdb\"" },
        { "\xc3", "\"\\ufffd\"" },
        { "\xc0\x80", "\"\\ufffd\\ufffd\"" },
        { "\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"" },
        { "\xe2\x80<", "\"\\ufffd\\ufffd\\u003c\"" },
        { "\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"" },
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        cr_assert_str_eq(
            string_of(pairs[i][0], strlen(pairs[i][0])), pairs[i][1]);
}

TEST(page_out, writes_numbers_that_read_back_as_they_were)
{
    static const double numbers[] = { 0, -0.0, 1, -1.5, 0.1, 1e300, -5e-324,
        1.0 / 3, 123456789012345680.0 };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct vv_page_out out = begin();
        vv_page_out_real(&out, numbers[i]);
        cr_assert_eq(vv_page_out_end(&out), VARVE_OK);
        double back = strtod(sunk.bytes, NULL);
        cr_assert_eq(memcmp(&back, &numbers[i], sizeof back), 0, "%s",
            sunk.bytes);
        cr_assert_null(strchr(sunk.bytes, ','));
    }
    static const double strange[] = { NAN, INFINITY, -INFINITY };
    for (size_t i = 0; i < sizeof strange / sizeof *strange; i++) {
        struct vv_page_out out = begin();
        vv_page_out_real(&out, strange[i]);
        cr_assert_eq(vv_page_out_end(&out), VARVE_OK);
        cr_assert_str_eq(sunk.bytes, "null");
    }
    struct vv_page_out out = begin();
    vv_page_out_number(&out, UINT64_MAX);
    vv_page_out_comma(&out, 0);
    vv_page_out_comma(&out, 1);
    vv_page_out_maybe(&out, NULL);
    vv_page_out_comma(&out, 2);
    vv_page_out_maybe(&out, "x");
    cr_assert_eq(vv_page_out_end(&out), VARVE_OK);
    cr_assert_str_eq(sunk.bytes, "18446744073709551615,0,\"x\"");
}

TEST(page_out, hands_on_in_pieces_of_no_more_than_it_gathers)
{
    struct vv_page_out out = begin();
    for (int i = 0; i < 30000; i++)
        vv_page_out_text(&out, "0123456");
    cr_assert_eq(vv_page_out_end(&out), VARVE_OK);
    cr_assert_eq(sunk.size, 210000);
    cr_assert_eq(sunk.calls, 4);
    for (size_t i = 0; i < sunk.size; i++)
        cr_assert_eq(sunk.bytes[i], '0' + (int)(i % 7));
    cr_assert_lt(test_peak_bytes(), 1 << 18);
}

TEST(page_out, stops_at_the_first_failure)
{
    struct vv_page_out out = begin();
    sunk.fails_at = 2;
    for (int i = 0; i < 60000; i++)
        vv_page_out_text(&out, "0123456");
    cr_assert_eq(vv_page_out_end(&out), VARVE_NO_SPACE);
    cr_assert_eq(sunk.calls, 2);
    cr_assert_str_eq(error.message, "full");
    out = begin();
    vv_page_out_fail(&out, VARVE_MISUSE);
    vv_page_out_fail(&out, VARVE_IO);
    vv_page_out_text(&out, "x");
    cr_assert_eq(vv_page_out_end(&out), VARVE_MISUSE);
    cr_assert_eq(sunk.calls, 0);
}

TEST(page_out, says_that_there_is_no_memory)
{
    test_fail_allocation(0, true);
    struct vv_page_out out = begin();
    vv_page_out_text(&out, "x");
    test_fail_allocation(-1, false);
    cr_assert_eq(vv_page_out_end(&out), VARVE_NO_MEMORY);
    cr_assert_eq(error.status, VARVE_NO_MEMORY);
    cr_assert_eq(sunk.calls, 0);
}
