/* test_name_pattern.c - Tests the parsing and matching of names in patterns.
 * test_pattern.c tests the rules of wildcards.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <string.h>

#include "name_pattern.h"

static struct vv_text text_of(const char *text)
{
    return (struct vv_text){ text, strlen(text) };
}

static bool is(struct vv_text text, const char *expected)
{
    return text.size == strlen(expected) &&
           memcmp(text.bytes, expected, text.size) == 0;
}

TEST(name_pattern, splits_a_path_into_names)
{
    struct vv_text rest = text_of("//a/m(b/c(d))x/e"), name;
    cr_assert(vv_text_next_name(&rest, &name));
    cr_assert(is(name, "a"));
    cr_assert(vv_text_next_name(&rest, &name));
    cr_assert(is(name, "m(b/c(d))x"));
    cr_assert(vv_text_next_name(&rest, &name));
    cr_assert(is(name, "e"));
    cr_assert_not(vv_text_next_name(&rest, &name));
}

TEST(name_pattern, splits_a_list_into_patterns)
{
    struct vv_text rest = text_of("a|m(b|c)||d"), pattern;
    cr_assert(vv_text_next_pattern(&rest, &pattern));
    cr_assert(is(pattern, "a"));
    cr_assert(vv_text_next_pattern(&rest, &pattern));
    cr_assert(is(pattern, "m(b|c)"));
    cr_assert(vv_text_next_pattern(&rest, &pattern));
    cr_assert(is(pattern, ""));
    cr_assert(vv_text_next_pattern(&rest, &pattern));
    cr_assert(is(pattern, "d"));
    cr_assert_not(vv_text_next_pattern(&rest, &pattern));
}

TEST(name_pattern, recognizes_slots_by_their_parentheses)
{
    static const struct {
        const char *name;
        enum vv_name_form form;
    } cases[] = {
        { "kernel", VV_NAME_OF_EDGE },
        { "m(a/b)", VV_NAME_OF_SLOT },
        { "m(a/n(b))", VV_NAME_OF_SLOT },
        { "m()", VV_NAME_OF_SLOT },
        { "(a)", VV_NAME_OF_SLOT },
        { "m(a", VV_NAME_OF_NONE },
        { "m)", VV_NAME_OF_NONE },
        { "m)(a)", VV_NAME_OF_NONE },
        { "m(a)b", VV_NAME_OF_NONE },
        { "m(a)(b)", VV_NAME_OF_NONE },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct vv_text base = { 0 }, inside = { 0 };
        cr_assert_eq(vv_name_split(text_of(cases[i].name), &base, &inside),
            cases[i].form, "%s", cases[i].name);
    }
    struct vv_text base, inside;
    vv_name_split(text_of("m(a/n(b))"), &base, &inside);
    cr_assert(is(base, "m"));
    cr_assert(is(inside, "a/n(b)"));
}

TEST(name_pattern, compares_edge_names_without_unescaping)
{
    struct vv_text want = text_of("a%2F*"), name = text_of("a/b");
    cr_assert(vv_name_pattern_match(want, name, VV_PLAIN));
    name = text_of("a%2Fb");
    cr_assert_not(vv_name_pattern_match(want, name, VV_PLAIN));
    cr_assert(vv_name_pattern_match(want, name, VV_IN_PATH));
}

TEST(name_pattern, captures_the_text_matched_by_stars)
{
    struct vv_text captures[3];
    cr_assert(vv_name_pattern_capture(
        text_of("*_*x**"), text_of("a_b_x_x?"), VV_IN_PATH, captures));
    cr_assert(is(captures[0], "a"));
    cr_assert(is(captures[1], "b_"));
    cr_assert(is(captures[2], "_x?"));
    cr_assert_not(vv_name_pattern_capture(
        text_of("a?"), text_of("ab"), VV_IN_PATH, NULL));
    cr_assert(vv_name_pattern_capture(
        text_of("%2A*"), text_of("*%2A"), VV_PLAIN, captures));
    cr_assert(is(captures[0], "%2A"));
}

TEST(name_pattern, unescapes_literal_names)
{
    struct vv_buffer name;
    vv_buffer_init(&name, test_allocator());
    vv_name_pattern_unescape(text_of("a%2Fb%"), &name);
    cr_assert_str_eq(vv_buffer_string(&name), "a/b%");
    vv_buffer_clear(&name);
    cr_assert(vv_name_pattern_is_literal(text_of("a%2F")));
    cr_assert_not(vv_name_pattern_is_literal(text_of("a*")));
    cr_assert_not(vv_name_pattern_is_literal(text_of("a?")));
    cr_assert_not(vv_name_pattern_is_literal(text_of("[a]")));
}
