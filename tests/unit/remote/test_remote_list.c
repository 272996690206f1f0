/* test_remote_list.c - lib/remote/remote_list.c
 *
 * SPDX-License-Identifier: MIT
 */
#include "remote_list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"

#define BEGIN "<?xml?><ListBucketResult><Prefix>run/</Prefix>"
#define END "</ListBucketResult>"

static char names[200];

static int add(
    void *user, const char *name, const struct vv_file_info *info)
{
    (void)info;
    (void)user;
    strcat(names, name);
    strcat(names, ";");
    return strcmp(name, "stop") == 0;
}

static int parse(const char *text, char **continued)
{
    char page[1000];
    *names = '\0';
    snprintf(page, sizeof page, "%s", text);
    return vv_remote_parse_list(page, "run/", add, NULL, continued);
}

TEST(remote_list, has_the_names_behind_the_prefix)
{
    char *continued;
    cr_assert_eq(parse(BEGIN "<Contents><Key>run/a-1.varve</Key></Contents>"
                             "<Contents><Key>run/b&amp;&#x63;&#100;</Key>"
                             "</Contents><CommonPrefixes><Prefix>run/deep/"
                             "</Prefix></CommonPrefixes>" END,
                     &continued),
        0);
    cr_assert_null(continued);
    cr_assert_str_eq(names, "a-1.varve;b&cd;deep;");
}

TEST(remote_list, passes_over_what_no_file_is_called)
{
    char *continued;
    cr_assert_eq(parse(BEGIN "<Key>run/</Key><Key>run/a/b</Key>"
                             "<Key>run/..</Key>"
                             "<Key>other/c</Key><Key>run/&bad;</Key>"
                             "<Key>run/&#0;</Key><Key>run/d</Key>" END,
                     &continued),
        0);
    cr_assert_str_eq(names, "d;");
}

TEST(remote_list, goes_on_where_it_was_cut)
{
    char *continued;
    cr_assert_eq(parse(BEGIN "<IsTruncated>true</IsTruncated>"
                             "<NextContinuationToken>a&lt;b</"
                             "NextContinuationToken><Key>run/a</Key>" END,
                     &continued),
        0);
    cr_assert_str_eq(continued, "a<b");
    free(continued);
}

TEST(remote_list, ends_where_it_is_told_to)
{
    char *continued;
    cr_assert_eq(
        parse(BEGIN "<Key>run/stop</Key><Key>run/b</Key>" END, &continued), 1);
    cr_assert_str_eq(names, "stop;");
}

TEST(remote_list, that_is_none_is_a_failure)
{
    static const char *const pages[] = { "", "<html></html>", BEGIN,
        BEGIN "<IsTruncated>true</IsTruncated>" END,
        BEGIN "<Key>run/a<b></Key><Key>run/c</Key>" END,
        BEGIN "<Key>run/a" END };
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        char *continued;
        cr_assert_eq(parse(pages[i], &continued), -EIO, "%s", pages[i]);
        cr_assert_null(continued);
    }
}

/* Whatever comes, it ends, with what there is of it. */
TEST(remote_list, that_is_damaged_is_a_list_or_a_failure)
{
    static const char page[] =
        BEGIN "<IsTruncated>true</IsTruncated><NextContinuationToken>a&lt;"
              "</NextContinuationToken><Key>run/a&#x41;</Key><CommonPrefixes>"
              "<Prefix>run/deep/</Prefix></CommonPrefixes>" END;
    uint32_t random = 1;
    for (int i = 0; i < 20000; i++) {
        char text[sizeof page];
        char *continued;
        memcpy(text, page, sizeof page);
        for (int n = 0; n < 3; n++) {
            random = random * 1664525 + 1013904223;
            text[(random >> 8) % (sizeof page - 1)] = "<>&;/#x\0a"[random % 9];
        }
        int result = parse(text, &continued);
        cr_assert(result == 0 || result == -EIO);
        free(continued);
    }
}
