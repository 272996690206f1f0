/* test_path_text_url.c - Tests the detection of schemes, users and queries of
 * URLs in paths and messages.
 *
 * SPDX-License-Identifier: MIT
 */
#include "path_text.h"

#include <stdint.h>
#include <string.h>

#include "support/test.h"

TEST(url, has_a_scheme)
{
    cr_assert_eq(vv_url_scheme("s3://b/k"), 5);
    cr_assert_eq(vv_url_scheme("HTTPS://h"), 8);
    cr_assert_eq(vv_url_scheme("a+b-c.1://"), 10);
    static const char *const local[] = { "", "a", "/s3://b", "./s3://b",
        "s3:/b", "s3:", "://b", "3s://b", "a b://c", "a/b://c" };
    for (size_t i = 0; i < sizeof local / sizeof *local; i++)
        cr_assert_eq(vv_url_scheme(local[i]), 0, "%s", local[i]);
}

static void cleans_path(const char *path, const char *expected)
{
    char text[200];
    strcpy(text, path);
    vv_url_clean(text);
    cr_assert_str_eq(text, expected);
}

TEST(url, in_a_path_is_stripped_of_secrets)
{
    cleans_path("https://h/a?sig=1", "https://h/a?");
    cleans_path("https://h/a?a='1 2\": 3", "https://h/a?");
    cleans_path("https://h/a#t", "https://h/a?");
    cleans_path("https://me:pw@h/a", "https://h/a");
    cleans_path("https://me:p@w@h/a@b", "https://h/a@b");
    cleans_path("s3://a b:c\"d'@h?x", "s3://h?");
    cleans_path("https://h/a?", "https://h/a?");
    cleans_path("/tmp/a?b@c", "/tmp/a?b@c");
    cleans_path("./https://u@h?a", "./https://u@h?a");
}

static void cleans(const char *message, const char *expected)
{
    char text[200];
    strcpy(text, message);
    vv_url_clean_message(text);
    cr_assert_str_eq(text, expected);
}

TEST(url, in_a_message_is_stripped_of_query_and_user)
{
    cleans("https://h/a?sig=1: open failed", "https://h/a?: open failed");
    cleans("https://h/a?t=12:30&s=x", "https://h/a?");
    cleans("https://h/a?t='x y\" z: gone", "https://h/a?: gone");
    cleans("https://me:secret@h/a: gone", "https://h/a: gone");
    cleans("http://u@h/a?q, \"https://v@h/b?r\"", "http://h/a?");
    cleans("at https://h?q=1\nand s3://b/k?v: no", "at https://h?\nand "
                                                   "s3://b/k?: no");
}

TEST(url, in_a_message_without_them_is_unchanged)
{
    cleans("/tmp/a?b: open failed", "/tmp/a?b: open failed");
    cleans("s3://b/k: no@where", "s3://b/k: no@where");
    cleans("https://", "https://");
    cleans("is it https://h/a?", "is it https://h/a?");
}

TEST(url, in_a_random_message_is_stripped_in_place)
{
    uint32_t random = 1;
    for (int i = 0; i < 20000; i++) {
        char text[40] = { 0 };
        for (size_t n = 0; n < sizeof text - 1; n++) {
            random = random * 1664525 + 1013904223;
            text[n] = "://?@ \"a\n"[(random >> 8) % 9];
        }
        size_t before = strlen(text);
        vv_url_clean_message(text);
        cr_assert_leq(strlen(text), before);
    }
}
