/* test_remote_xml.c - Tests parsing XML answers.
 *
 * SPDX-License-Identifier: MIT
 */
#include "remote_xml.h"

#include <string.h>

#include "support/test.h"

TEST(remote_xml, gives_elements_one_after_the_other)
{
    char text[] = "<A><Key>one</Key><Keys>no</Keys><Key></Key></A>";
    char *at = text;
    cr_assert_str_eq(vv_remote_next_element(&at, "<Key>"), "one");
    cr_assert_str_eq(vv_remote_next_element(&at, "<Key>"), "");
    cr_assert_null(vv_remote_next_element(&at, "<Key>"));
}

TEST(remote_xml, that_is_broken_off_has_none)
{
    char open[] = "<Key>one", other[] = "<Key>one</Value>";
    char *at = open;
    cr_assert_null(vv_remote_next_element(&at, "<Key>"));
    at = other;
    cr_assert_null(vv_remote_next_element(&at, "<Key>"));
}

TEST(remote_xml, has_entities)
{
    char text[] = "a&amp;&lt;&gt;&quot;&apos;&#65;&#x42;";
    char wrong[] = "a&b", unknown[] = "&uuml;", large[] = "&#300;";
    cr_assert(vv_remote_decode(text));
    cr_assert_str_eq(text, "a&<>\"'AB");
    cr_assert_not(vv_remote_decode(wrong));
    cr_assert_not(vv_remote_decode(unknown));
    cr_assert_not(vv_remote_decode(large));
}

TEST(remote_xml, gives_groups_with_all_that_is_in_them)
{
    char text[] = "<A><Of><Key>1</Key></Of><Off>2</Off><Of></Of><Of><Key>3</A>";
    char *at = text;
    cr_assert_str_eq(vv_remote_next_group(&at, "<Of>"), "<Key>1</Key>");
    cr_assert_str_eq(vv_remote_next_group(&at, "<Of>"), "");
    cr_assert_null(vv_remote_next_group(&at, "<Of>"));
    cr_assert_not_null(strstr(at, "<Of><Key>3"));
}

TEST(remote_xml, copies_an_element_that_is_there_once)
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
