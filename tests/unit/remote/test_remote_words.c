/* test_remote_words.c - lib/remote/remote_words.c
 *
 * SPDX-License-Identifier: MIT
 */
#include "remote_words.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "support/test.h"

TEST(remote_words, are_given_once_and_for_what_they_are_about)
{
    cr_assert_eq(vv_remote_fail(EIO, "why %d", 7), -EIO);
    cr_assert_str_eq(vv_remote_reason(EIO, "https://h/a"), "why 7");
    cr_assert_null(vv_remote_reason(EIO, "https://h/a"));
    vv_remote_fail(EIO, "why");
    cr_assert_null(vv_remote_reason(EACCES, "https://h/a"));
    vv_remote_fail(EIO, "why");
    cr_assert_null(vv_remote_reason(EIO, "/a"));
}

static void cleans(const char *message, const char *expected)
{
    char text[200];
    strcpy(text, message);
    vv_remote_clean(text);
    cr_assert_str_eq(text, expected);
}

TEST(remote_words, have_no_query_and_no_user)
{
    cleans("https://h/a?sig=1: open failed", "https://h/a?: open failed");
    cleans("https://h/a?t=12:30&s=x", "https://h/a?");
    cleans("https://me:secret@h/a: gone", "https://h/a: gone");
    cleans("http://u@h/a?q, \"https://v@h/b?r\"",
        "http://h/a? \"https://h/b?\"");
    cleans("at https://h?q=1\nand s3://b/k?v: no", "at https://h?\nand "
                                                   "s3://b/k?: no");
}

TEST(remote_words, stay_as_they_are_without_them)
{
    cleans("/tmp/a?b: open failed", "/tmp/a?b: open failed");
    cleans("s3://b/k: no@where", "s3://b/k: no@where");
    cleans("https://", "https://");
    cleans("is it https://h/a?", "is it https://h/a?");
}

TEST(remote_words, that_are_anything_are_cleaned_in_place)
{
    uint32_t random = 1;
    for (int i = 0; i < 20000; i++) {
        char text[40] = { 0 };
        for (size_t n = 0; n < sizeof text - 1; n++) {
            random = random * 1664525 + 1013904223;
            text[n] = "://?@ \"a\n"[(random >> 8) % 9];
        }
        size_t before = strlen(text);
        vv_remote_clean(text);
        cr_assert_leq(strlen(text), before);
    }
}
