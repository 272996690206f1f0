/* test_name_pattern_ends.c - Tests the literal ends of patterns, which are keys
 * for lookups.
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

static struct vv_name_ends ends_of(
    const char *pattern, bool only_stars, uint64_t *key)
{
    struct vv_name_ends ends;
    struct vv_buffer scratch;
    vv_buffer_init(&scratch, test_allocator());
    vv_name_ends_of(text_of(pattern), only_stars, &scratch, &ends, key);
    cr_assert_not(scratch.failed);
    vv_buffer_clear(&scratch);
    return ends;
}

TEST(name_ends, are_literal)
{
    static const struct {
        const char *pattern;
        bool only_stars;
        uint32_t begin, end;
    } all[] = {
        { "abc", true, UINT32_MAX, 0 },
        { "*", true, 0, 0 },
        { "ab*c", true, 2, 1 },
        { "a*b*cde", true, 1, 3 },
        { "%61%2F*", true, 2, 0 },
        { "%C3*a", true, 0, 1 },
        { "%C3%A9*", true, 2, 0 },
        { "*%C3%A9", true, 0, 2 },
        { "%FF", true, 0, 0 },
        { "a?b", true, UINT32_MAX, 0 },
        { "a?bc", false, 1, 2 },
        { "a[bc", false, 1, 2 },
        { "a[b]c", false, 1, 1 },
        { "a%3Fc", false, UINT32_MAX, 0 },
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        uint64_t key;
        struct vv_name_ends ends =
            ends_of(all[i].pattern, all[i].only_stars, &key);
        cr_assert_eq(ends.begin, all[i].begin, "%s", all[i].pattern);
        cr_assert_eq(ends.end, all[i].end, "%s", all[i].pattern);
    }
}

/* Each pattern that matches a name must have the key of the name. */
TEST(name_ends, have_the_key_of_matching_names)
{
    static const char *const patterns[] = { "a", "a*", "*a", "a*b", "*", "?b",
        "[ab]b", "a[", "a%62", "%C3*", "%E0%85%81", "*%81", "é*", "*é", "[a*",
        "a?*b", "?[b]", "a]b" };
    static const char *const names[] = { "a", "ab", "b", "abb", "a[", "é", "Ł",
        "éa", "aé", "?b", "[ab]b", "[ab", "a]b", "?[b]", "éb" };
    unsigned matches = 0;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        for (size_t k = 0; k < 2 * (sizeof names / sizeof *names); k++) {
            struct vv_text name = text_of(names[k / 2]);
            uint64_t wanted, found = 0;
            struct vv_name_ends ends = ends_of(patterns[i], k % 2, &wanted);
            bool may = vv_name_ends_key(name, ends, &found) && found == wanted;
            bool does = k % 2 ? vv_name_pattern_capture(
                                    text_of(patterns[i]), name, VV_PLAIN, NULL)
                              : vv_name_pattern_match(
                                    text_of(patterns[i]), name, VV_PLAIN);
            cr_assert(may || !does, "%s %s", patterns[i], names[k / 2]);
            matches += does;
        }
    }
    cr_assert_gt(matches, 40u);
}

TEST(name_ends, fail_without_memory)
{
    struct vv_name_ends ends;
    struct vv_buffer scratch;
    uint64_t key;
    vv_buffer_init(&scratch, test_allocator());
    test_fail_allocation(0, true);
    vv_name_ends_of(text_of("a*"), true, &scratch, &ends, &key);
    test_fail_allocation(-1, false);
    cr_assert(scratch.failed);
    cr_assert_eq(ends.begin, 0);
    vv_buffer_clear(&scratch);
}
