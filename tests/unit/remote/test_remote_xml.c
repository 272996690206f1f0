/* test_remote_xml.c - lib/remote/remote_xml.c
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
