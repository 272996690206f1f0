/* test_torch_match.c - Tests matching parameters of an optimizer to variables
 * by shape.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <string.h>

#include "torch_match.h"

enum { MOST = 8 };

/* Shapes as characters: "3" is [3], "34" is [3,4], "-" is [], "?" is unknown,
 * "." is unknown and empty. */
struct shapes {
    struct vv_torch_form forms[MOST];
    uint64_t extents[MOST][2];
    size_t count;
};

static void put_word(struct shapes *s, const char *word, size_t size)
{
    struct vv_torch_form *form = &s->forms[s->count];
    form->extents = s->extents[s->count];
    form->is_known = *word != '?' && *word != '.';
    form->is_empty = *word == '.';
    form->rank = *word == '-' || !form->is_known ? 0 : (uint32_t)size;
    for (uint32_t i = 0; i < form->rank; i++)
        s->extents[s->count][i] = (uint64_t)(word[i] - '0');
    s->count++;
}

static void put_shapes(struct shapes *s, const char *text)
{
    memset(s, 0, sizeof *s);
    while (*text) {
        size_t size = strcspn(text, " ");
        put_word(s, text, size);
        text += size + (text[size] == ' ');
    }
}

/* Asserts these positions, one digit each; "": not unique. */
static void check(const char *trained, const char *model, const char *expected)
{
    struct shapes t, m;
    size_t to[MOST];
    put_shapes(&t, trained);
    put_shapes(&m, model);
    bool found = vv_torch_match(t.forms, t.count, m.forms, m.count, to);
    cr_assert_eq(found, *expected != '\0', "%s in %s", trained, model);
    for (size_t i = 0; found && i < t.count; i++)
        cr_assert_eq((int)to[i], expected[i] - '0', "%s in %s", trained, model);
}

TEST(torch_match, matches_in_order)
{
    check("34 3 34 3", "34 3 34 3", "0123");
    check("34 3", "3 34", "");
    check("34 3", "34", "");
    check("34 4", "34 3", "");
    check("-", "-", "0");
    check("-", "1", "");
}

TEST(torch_match, skips_untrained_variables_if_unambiguous)
{
    check("22 2", "34 3 22 2", "23");
    check("34 2", "34 3 22 2", "03");
    check("34 3", "34 3 34 3", "");
    check("3", "3 3", "");
}

TEST(torch_match, matches_an_unknown_shape_with_any)
{
    check("34 ? 22", "34 3 22", "012");
    check("34 ? 22", "34 3 4 22", "");
}

/* Asserts positions as above, '-' for a parameter without one; "": no match;
 * "?3": several matches, and number 3 is ambiguous. */
static void check_any(
    const char *trained, const char *model, const char *expected)
{
    struct shapes t, m;
    struct vv_buffer room;
    size_t to[MOST], shape = MOST;
    put_shapes(&t, trained);
    put_shapes(&m, model);
    vv_buffer_init(&room, test_allocator());
    enum vv_torch_fit fit = vv_torch_match_any(
        t.forms, t.count, m.forms, m.count, to, &shape, &room);
    cr_assert_not(room.failed);
    vv_buffer_clear(&room);
    cr_assert_eq(fit,
        *expected == '?'  ? VV_TORCH_FITS_OFTEN
        : *expected == 0 ? VV_TORCH_FITS_NOT
                         : VV_TORCH_FITS_ONCE,
        "%s in %s: %d", trained, model, (int)fit);
    if (fit == VV_TORCH_FITS_OFTEN)
        cr_assert_eq((int)shape, expected[1] - '0', "%s in %s", trained, model);
    for (size_t i = 0; fit == VV_TORCH_FITS_ONCE && i < t.count; i++)
        cr_assert_eq(to[i],
            expected[i] == '-' ? SIZE_MAX : (size_t)(expected[i] - '0'),
            "%s in %s", trained, model);
}

TEST(torch_match, in_any_order_matches_by_unique_shapes)
{
    check_any("34 3 22", "34 3 22", "012");
    check_any("22 34 3", "34 3 22", "201");
    check_any("22", "34 3 22", "2");
    check_any("-", "3 -", "1");
    check_any("3 4", "3 5", "");
    check_any("3 4", "3", "");
    check_any("3 3", "3 4", "");
}

TEST(torch_match, in_any_order_equal_shapes_are_ambiguous)
{
    check_any("3 3", "3 3", "?0");
    check_any("4 3", "3 4 3", "?1");
    check_any("34 3 34 3", "34 3 34 3", "?1");
}

TEST(torch_match, in_any_order_an_unknown_shape_gets_the_remaining_one)
{
    check_any("3 ? 4", "4 5 3", "210");
    check_any("? 4", "4 5 3", "?0");
    check_any("3 ? ?", "4 5 3", "?2");
    check_any("3 ?", "3 3", "?0");
    check_any("3 . 4", "4 5 3", "2-0");
    check_any(". . 4", "4 5 3", "--0");
    check_any("3 . ?", "4 5 3", "?2");
}
