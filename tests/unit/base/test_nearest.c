/* test_nearest.c - Tests the edit distance of names and the choice of
 * suggestions.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <string.h>

#include "nearest.h"

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The recursive definition, without a table. */
static size_t plain_distance(const char *a, const char *b)
{
    if (!*a || !*b)
        return strlen(a) + strlen(b);
    if (*a == *b)
        return plain_distance(a + 1, b + 1);
    return 1 + least(plain_distance(a + 1, b + 1),
                   least(plain_distance(a + 1, b), plain_distance(a, b + 1)));
}

/* Sets the `number`th text over the letters a, b and c, with at most 5
 * letters. */
static void make_text(unsigned number, char *text)
{
    while (number > 0) {
        number--;
        *text++ = (char)('a' + number % 3);
        number /= 3;
    }
    *text = '\0';
}

static size_t distance(const char *a, const char *b, size_t bound)
{
    return vv_edit_distance(a, strlen(a), b, strlen(b), bound);
}

TEST(nearest, counts_edits)
{
    char a[8], b[8];
    for (unsigned i = 0; i < 364; i++) {
        for (unsigned k = 0; k < 364; k++) {
            make_text(i, a);
            make_text(k, b);
            size_t expected = plain_distance(a, b);
            for (size_t bound = 0; bound < 7; bound++)
                if (distance(a, b, bound) != least(expected, bound + 1))
                    cr_assert(false, "%s %s %zu", a, b, bound);
        }
    }
    cr_assert_eq(distance("kitten", "sitting", 9), 3);
}

TEST(nearest, compares_names_up_to_64_bytes)
{
    char a[67], b[67];
    memset(a, 'x', sizeof a);
    memset(b, 'x', sizeof b);
    b[10] = 'y';
    cr_assert_eq(vv_edit_distance(a, 64, b, 64, 5), 1);
    cr_assert_eq(vv_edit_distance(a, 62, b, 64, 5), 2);
    cr_assert_eq(vv_edit_distance(a, 65, b, 65, 5), 6);
    cr_assert_eq(vv_edit_distance(a, 64, b, 65, 5), 6);
    cr_assert_eq(vv_edit_distance(a, 65, a, 65, 5), 0);
    cr_assert_eq(vv_edit_distance(a, 64, a, 1, SIZE_MAX - 1), 63);
}

TEST(nearest, finds_similar_names)
{
    static const struct {
        const char *a;
        const char *b;
        bool near;
    } cases[] = {
        { "kernel", "kernel", true },
        { "kernel", "kernal", true },
        { "kernel", "krenel", true },
        { "kernel", "bias", false },
        { "enc", "encoder", true },               /* a prefix */
        { "head", "mask_prediction_head", true }, /* a suffix */
        { "cod", "encoder", true },               /* a part */
        { "en", "encoder", false },
        { "ab", "xxabxx", false },
        { "w", "v", false }, /* nothing in common */
        { "w", "w1", true },
        { "0", "1", false },
        { "ab", "ac", true },
        { "ab", "cd", false },
        { "modle", "model", true },
        { "ba", "ab", false },
        { "layer_1", "layer_12", true },
        { "moving_mean", "moving_average", false },
        { "", "a", false },
        { "", "", false },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *a = cases[i].a, *b = cases[i].b;
        cr_assert_eq(vv_is_near(a, strlen(a), b, strlen(b)), cases[i].near,
            "%s %s", a, b);
        cr_assert_eq(vv_is_near(b, strlen(b), a, strlen(a)), cases[i].near,
            "%s %s", b, a);
    }
}
