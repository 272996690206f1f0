/* test_remote_list.c - Tests listings of stores.
 *
 * SPDX-License-Identifier: MIT
 */
#include "remote_list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "remote_identity.h"
#include "support/test.h"

#define BEGIN "<?xml?><ListBucketResult><Prefix>run/</Prefix>"
#define END "</ListBucketResult>"

#define KEY(key) "<Contents><Key>" key "</Key></Contents>"
#define SIZE "<Size>123</Size>"
#define DATE "<LastModified>2026-10-01T10:00:00.250Z</LastModified>"
#define TAG "<ETag>&quot;abc&quot;</ETag>"
#define RUN "s3://bucket/run"

static char names[200];
static struct vv_file_info infos[8];
static bool has_info[8];
static size_t count;

static int add(
    void *user, const char *name, const struct vv_file_info *info)
{
    (void)user;
    strcat(names, name);
    strcat(names, ";");
    if (count < 8) {
        has_info[count] = info != NULL;
        if (info)
            infos[count] = *info;
        count++;
    }
    return strcmp(name, "stop") == 0;
}

static int parse(const char *text, char **continued)
{
    char page[2000];
    *names = '\0';
    count = 0;
    snprintf(page, sizeof page, "%s", text);
    return vv_remote_parse_list(page, RUN "//", add, NULL, continued);
}

TEST(remote_list, has_the_names_after_the_prefix)
{
    char *continued;
    cr_assert_eq(parse(BEGIN KEY("run/a-1.varve") KEY("run/b&amp;&#x63;&#100;")
                           "<CommonPrefixes><Prefix>run/deep/"
                           "</Prefix></CommonPrefixes>" END,
                     &continued),
        0);
    cr_assert_null(continued);
    cr_assert_str_eq(names, "a-1.varve;b&cd;deep;");
}

static void check_object(size_t at, const char *name)
{
    char path[100];
    snprintf(path, sizeof path, RUN "/%s", name);
    cr_assert(has_info[at], "%s", name);
    cr_assert_eq(infos[at].kind, VV_REGULAR_FILE);
    cr_assert_eq(infos[at].size, 123);
    cr_assert_eq(infos[at].modified, INT64_C(1790848800000000000));
    cr_assert_eq(infos[at].device, VV_REMOTE_DEVICE);
    cr_assert_eq(infos[at].serial, vv_remote_serial(path, "\"abc\"", 123));
}

TEST(remote_list, reads_elements_of_a_file_in_any_order)
{
    char *continued;
    cr_assert_eq(
        parse(BEGIN "<Contents><Key>run/a</Key>" SIZE DATE TAG "</Contents>"
                    "<Contents>\n " TAG
                    "<Owner><ID>1</ID><DisplayName>x</DisplayName></Owner>" DATE
                    "<StorageClass>STANDARD</StorageClass>" SIZE
                    "<Key>run/b</Key></Contents>"
                    "<CommonPrefixes><Prefix>run/deep/</Prefix>"
                    "</CommonPrefixes>"
                    "<Contents>" DATE "<Key>run/&lt;Size&gt;</Key>" TAG SIZE
                    "</Contents>" END,
            &continued),
        0);
    cr_assert_str_eq(names, "a;b;<Size>;deep;");
    check_object(0, "a");
    check_object(1, "b");
    check_object(2, "<Size>");
    cr_assert(has_info[3]);
    cr_assert_eq(infos[3].kind, VV_DIRECTORY);
    cr_assert_eq(infos[3].device, VV_REMOTE_DEVICE);
    cr_assert_eq(infos[3].serial, vv_remote_serial(RUN "/deep", "", 0));
    cr_assert_neq(infos[0].serial, infos[1].serial);
}

TEST(remote_list, gives_no_metadata_if_an_element_is_invalid)
{
    static const char *const wrong[] = { "", SIZE DATE, SIZE TAG, DATE TAG,
        SIZE SIZE DATE TAG, "<Size></Size>" DATE TAG,
        "<Size>-1</Size>" DATE TAG, "<Size>1 </Size>" DATE TAG,
        "<Size>18446744073709551616</Size>" DATE TAG,
        "<Size>1<b/></Size>" DATE TAG,
        SIZE TAG "<LastModified>yesterday</LastModified>",
        SIZE TAG "<LastModified></LastModified>",
        SIZE DATE "<ETag></ETag>", SIZE DATE "<ETag>&uuml;</ETag>" };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char page[1000];
        char *continued;
        snprintf(page, sizeof page,
            BEGIN "<Contents><Key>run/a</Key>%s</Contents>"
                  "<Contents><Key>run/b</Key>" SIZE DATE TAG "</Contents>" END,
            wrong[i]);
        cr_assert_eq(parse(page, &continued), 0, "%s", wrong[i]);
        cr_assert_str_eq(names, "a;b;", "%s", wrong[i]);
        cr_assert_not(has_info[0], "%s", wrong[i]);
        check_object(1, "b");
    }
}

TEST(remote_list, ignores_keys_that_are_not_file_names)
{
    char *continued;
    cr_assert_eq(parse(BEGIN KEY("run/") KEY("run/a/b") KEY("run/..")
                           KEY("other/c") KEY("run/&bad;") KEY("run/&#0;")
                               KEY("run/d") END,
                     &continued),
        0);
    cr_assert_str_eq(names, "d;");
}

TEST(remote_list, continues_a_truncated_list)
{
    char *continued;
    cr_assert_eq(parse(BEGIN "<IsTruncated>true</IsTruncated>"
                             "<NextContinuationToken>a&lt;b</"
                             "NextContinuationToken>" KEY("run/a") END,
                     &continued),
        0);
    cr_assert_str_eq(continued, "a<b");
    free(continued);
}

TEST(remote_list, ends_when_the_callback_requests_it)
{
    char *continued;
    cr_assert_eq(
        parse(BEGIN KEY("run/stop") KEY("run/b") END, &continued), 1);
    cr_assert_str_eq(names, "stop;");
}

TEST(remote_list, refuses_documents_that_are_not_lists)
{
    static const char *const pages[] = { "", "<html></html>", BEGIN,
        BEGIN "<IsTruncated>true</IsTruncated>" END,
        BEGIN KEY("run/a<b>") KEY("run/c") END, BEGIN "<Key>run/a</Key>" END,
        BEGIN "<Contents><Key>run/a" END, BEGIN "<Contents></Contents>" END,
        BEGIN "<Contents><Key>run/a</Key>" END,
        BEGIN "<Contents of='a'><Key>run/a</Key></Contents>" END,
        BEGIN "<Prefix>run/a" END };
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        char *continued;
        cr_assert_eq(parse(pages[i], &continued), -EIO, "%s", pages[i]);
        cr_assert_null(continued);
    }
}

/* For any content the function ends, with the valid part. */
TEST(remote_list, is_valid_or_refused_if_damaged)
{
    static const char page[] =
        BEGIN "<IsTruncated>true</IsTruncated><NextContinuationToken>a&lt;"
              "</NextContinuationToken><Contents><Key>run/a&#x41;</Key>" SIZE
              DATE TAG "</Contents><CommonPrefixes><Prefix>run/deep/</Prefix>"
              "</CommonPrefixes>" END;
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
