/* test_remote_text.c - Tests growing texts and percent-encoding.
 *
 * SPDX-License-Identifier: MIT
 */
#include "remote_text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"

TEST(remote_text, grows)
{
    struct vv_remote_text t = { .at = NULL };
    for (int i = 0; i < 1000; i++)
        vv_remote_add(&t, "ab");
    cr_assert_eq(t.size, 2000);
    char *text = vv_remote_take(&t);
    cr_assert_eq(text[1999], 'b');
    cr_assert_eq(text[2000], '\0');
    cr_assert_null(t.at);
    free(text);
}

TEST(remote_text, may_be_empty)
{
    struct vv_remote_text t = { .at = NULL };
    char *text = vv_remote_take(&t);
    cr_assert_str_eq(text, "");
    free(text);
}

TEST(remote_text, encodes_all_reserved_characters_of_a_url)
{
    struct vv_remote_text t = { .at = NULL };
    vv_remote_add_encoded(&t, "a/b c?&=#%+~\xc3\xa4", false);
    vv_remote_add_encoded(&t, "/", true);
    char *text = vv_remote_take(&t);
    cr_assert_str_eq(text, "a/b%20c%3F%26%3D%23%25%2B~%C3%A4%2F");
    free(text);
}

TEST(remote_text, fails_permanently_without_memory)
{
    struct vv_remote_text t = { .at = NULL };
    vv_remote_add_bytes(&t, "", SIZE_MAX);
    vv_remote_add(&t, "a");
    cr_assert(t.failed);
    cr_assert_null(vv_remote_take(&t));
}

static bool gives(const char *json, const char *expected)
{
    char *found = vv_remote_json_text(json, "Token");
    bool is_it = found && expected ? strcmp(found, expected) == 0
                                   : !found && !expected;
    free(found);
    return is_it;
}

TEST(remote_json, finds_the_json_string_of_a_name)
{
    cr_assert(gives("{\"Token\":\"a\"}", "a"));
    cr_assert(gives(" {\n\"Code\" : \"Success\", \"n\": 7, \"Token\" :\t"
                    "\"a\\/b\\\\\\\"c\\u003d\" , \"x\": null}",
        "a/b\\\"c="));
    cr_assert(gives("{\"x\":\"Token\",\"Token\":\"\"}", ""));
    cr_assert(gives("{\"x\":[\"Token\",\"b\"],\"Token\":\"a\"}", "a"));
}

TEST(remote_json, finds_no_other_json_values)
{
    cr_assert(gives("", NULL));
    cr_assert(gives("\"Token\":\"a\"", NULL));
    cr_assert(gives("{\"Token\":7,\"x\":\"a\"}", NULL));
    cr_assert(gives("{\"Token\":null}", NULL));
    cr_assert(gives("{\"token\":\"a\"}", NULL));
    cr_assert(gives("{\"Token\":\"a", NULL));
    cr_assert(gives("{\"Token\":\"a\\", NULL));
    cr_assert(gives("{\"Token\":\"\\q\"}", NULL));
    cr_assert(gives("{\"Token\":\"\\u00e4\"}", NULL));
    cr_assert(gives("{\"Token\":\"\\u00\"}", NULL));
    cr_assert(gives("{\"Token\":\"\xc3\xa4\"}", NULL));
    cr_assert(gives("{\"Token\"", NULL));
    cr_assert(gives("{\"Token\":", NULL));
    cr_assert(gives("{\"", NULL));
}

TEST(remote_xml, finds_xml_elements_in_order)
{
    char text[] = "<A><Key>one</Key><Keys>no</Keys><Key></Key></A>";
    char *at = text;
    cr_assert_str_eq(vv_remote_next_element(&at, "<Key>"), "one");
    cr_assert_str_eq(vv_remote_next_element(&at, "<Key>"), "");
    cr_assert_null(vv_remote_next_element(&at, "<Key>"));
}

TEST(remote_xml, finds_no_truncated_xml_element)
{
    char open[] = "<Key>one", other[] = "<Key>one</Value>";
    char *at = open;
    cr_assert_null(vv_remote_next_element(&at, "<Key>"));
    at = other;
    cr_assert_null(vv_remote_next_element(&at, "<Key>"));
}

TEST(remote_xml, decodes_entities)
{
    char text[] = "a&amp;&lt;&gt;&quot;&apos;&#65;&#x42;";
    char wrong[] = "a&b", unknown[] = "&uuml;", large[] = "&#300;";
    cr_assert(vv_remote_decode(text));
    cr_assert_str_eq(text, "a&<>\"'AB");
    cr_assert_not(vv_remote_decode(wrong));
    cr_assert_not(vv_remote_decode(unknown));
    cr_assert_not(vv_remote_decode(large));
}

TEST(remote_xml, finds_xml_groups_with_their_content)
{
    char text[] = "<A><Of><Key>1</Key></Of><Off>2</Off><Of></Of><Of><Key>3</A>";
    char *at = text;
    cr_assert_str_eq(vv_remote_next_group(&at, "<Of>"), "<Key>1</Key>");
    cr_assert_str_eq(vv_remote_next_group(&at, "<Of>"), "");
    cr_assert_null(vv_remote_next_group(&at, "<Of>"));
    cr_assert_not_null(strstr(at, "<Of><Key>3"));
}

TEST(remote_xml, copies_an_element_that_occurs_once)
{
    static const char text[] =
        "<Size>12</Size><ETag>&quot;a&quot;</ETag><Two>1</Two><Two>2</Two>"
        "<Bad>&uuml;</Bad><Open>1<Size>";
    char to[4];
    cr_assert_not(vv_remote_copy_element(text, "<Size>", to, sizeof to));
    cr_assert(vv_remote_copy_element("<B/><Size>12</Size>", "<Size>", to, 3));
    cr_assert_str_eq(to, "12");
    cr_assert_not(vv_remote_copy_element("<Size>12</Size>", "<Size>", to, 2));
    cr_assert_not(vv_remote_copy_element(text, "<ETag>", to, sizeof to));
    char tag[20];
    cr_assert(vv_remote_copy_element(text, "<ETag>", tag, sizeof tag));
    cr_assert_str_eq(tag, "\"a\"");
    cr_assert_not(vv_remote_copy_element(text, "<Two>", tag, sizeof tag));
    cr_assert_not(vv_remote_copy_element(text, "<Bad>", tag, sizeof tag));
    cr_assert_not(vv_remote_copy_element(text, "<Open>", tag, sizeof tag));
    cr_assert_not(vv_remote_copy_element(text, "<None>", tag, sizeof tag));
    cr_assert_eq(strncmp(text, "<Size>12</Size>", 15), 0);
}
