/* test_torch_match.c - lib/foreign/torch/torch_match.c
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <string.h>

#include "torch_match.h"

enum { MOST = 8 };

/* Shapes as digits: "3" is [3], "34" is [3,4], "-" is [], "?" is not known;
 * groups of what is trained are parted by a bar. */
struct shapes {
    struct vv_torch_form forms[MOST];
    uint64_t extents[MOST][2];
    size_t ends[MOST];
    size_t count, groups;
};

static void put_word(struct shapes *s, const char *word, size_t size)
{
    struct vv_torch_form *form = &s->forms[s->count];
    form->extents = s->extents[s->count];
    form->is_known = *word != '?';
    form->rank = *word == '-' || *word == '?' ? 0 : (uint32_t)size;
    for (uint32_t i = 0; i < form->rank; i++)
        s->extents[s->count][i] = (uint64_t)(word[i] - '0');
    s->count++;
}

static void put_shapes(struct shapes *s, const char *text)
{
    memset(s, 0, sizeof *s);
    while (*text) {
        size_t size = strcspn(text, " ");
        if (*text == '|')
            s->ends[s->groups++] = s->count;
        else
            put_word(s, text, size);
        text += size + (text[size] == ' ');
    }
    s->ends[s->groups++] = s->count;
}

/* Demands these positions, a digit each; "": there is no one way. */
static void check(const char *trained, const char *model, const char *expected)
{
    struct shapes t, m;
    size_t next[MOST], to[MOST];
    put_shapes(&t, trained);
    put_shapes(&m, model);
    bool found = vv_torch_match(
        &(struct vv_torch_trained){ t.forms, t.count, t.ends, t.groups },
        m.forms, m.count, next, to);
    cr_assert_eq(found, *expected != '\0', "%s in %s", trained, model);
    for (size_t i = 0; found && i < t.count; i++)
        cr_assert_eq((int)to[i], expected[i] - '0', "%s in %s", trained, model);
}

TEST(torch_match, goes_by_order_where_there_is_one_group)
{
    check("34 3 34 3", "34 3 34 3", "0123");
    check("34 3", "3 34", "");
    check("34 3", "34", "");
    check("34 4", "34 3", "");
    check("-", "-", "0");
    check("-", "1", "");
}

TEST(torch_match, leaves_out_what_is_not_trained_where_one_way_is_left)
{
    check("22 2", "34 3 22 2", "23");
    check("34 2", "34 3 22 2", "03");
    check("34 3", "34 3 34 3", "");
    check("3", "3 3", "");
}

TEST(torch_match, takes_any_shape_for_one_that_is_not_known)
{
    check("34 ? 22", "34 3 22", "012");
    check("34 ? 22", "34 3 4 22", "");
}

TEST(torch_match, merges_groups_where_only_one_has_the_next)
{
    check("34 22 | 3 2", "34 3 22 2", "0213");
    check("3 2 | 34 22", "34 3 22 2", "1302");
    check("22 2 | 34 3", "34 3 22 2", "2301");
    check("34 | 3 | 22 2", "34 3 22 2", "0123");
    check("34 22 | 3 2", "34 9 3 22 77 2", "0325");
    check("34 | | 3", "34 3", "01");
}

TEST(torch_match, leaves_groups_alone_that_fit_in_several_ways)
{
    check("34 | 34", "34 34", "");
    check("34 3 | 34 2", "34 3 34 2", "");
    check("34 | 3", "34 3 34", "");
    check("34 | ?", "34 3", "");
    check("34 | 3", "34 34", "");
}
