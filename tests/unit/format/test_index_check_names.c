/* test_index_check_names.c - Tests the rules of names, each violated once.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "support/index_sample.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Defines a function that changes an element of a u32 column. */
#define SET(function, key, i, value)                                           \
    static void function(struct sample *s)                                     \
    {                                                                          \
        sample_set32(s, key, i, value);                                        \
    }

/* --- Names ---------------------------------------------------------------- */

SET(name_is_empty, VV_KEY_NAME_ENDS, 1, 1)
SET(name_ends_before_it_begins, VV_KEY_NAME_ENDS, 4, 2)
SET(last_name_ends_early, VV_KEY_NAME_ENDS, N_ZERO, 62)
SET(last_name_ends_late, VV_KEY_NAME_ENDS, N_ZERO, 1000)

static unsigned char *name_bytes(struct sample *s, size_t name)
{
    unsigned char *names = sample_column(s, VV_KEY_NAMES)->data;
    return names + (name ? sample_at32(s, VV_KEY_NAME_ENDS, name - 1) : 0);
}

static void name_is_latin_1(struct sample *s) { name_bytes(s, N_KEY)[6] = 'x'; }
static void name_has_a_nul(struct sample *s) { name_bytes(s, N_ROOT)[1] = 0; }
static void names_are_not_sorted(struct sample *s) { *name_bytes(s, 1) = '7'; }
static void name_is_there_twice(struct sample *s) { *name_bytes(s, 2) = '1'; }

/* Replaces the last name by a long one. */
static void stretch_last_name(struct sample *s, size_t size)
{
    struct vv_buffer *names = sample_column(s, VV_KEY_NAMES);
    names->size -= 4;
    memset(vv_buffer_extend(names, size), 'z', size);
    sample_set32(s, VV_KEY_NAME_ENDS, N_ZERO, (uint32_t)names->size);
}

static void name_is_too_long(struct sample *s)
{
    stretch_last_name(s, VARVE_MAX_NAME_SIZE + 1);
}

static void name_is_not_used(struct sample *s)
{
    vv_buffer_add_string(sample_column(s, VV_KEY_NAMES), "zzzz");
    vv_buffer_add32(sample_column(s, VV_KEY_NAME_ENDS),
        (uint32_t)sample_column(s, VV_KEY_NAMES)->size);
}

/* --- Positions ------------------------------------------------------------ */

SET(list_begins_with_1, VV_KEY_EDGE_NAMES, 10, N_1)
SET(list_has_a_name, VV_KEY_EDGE_NAMES, 12, N_ZERO)

#define ROW(function, says)                                                    \
    {                                                                          \
        #function, function, VARVE_CORRUPT, says                               \
    }

TEST(name_check, reports_the_violated_rule)
{
    static const struct breakage rows[] = {
        ROW(name_is_empty, "name 1: the end must be above 1"),
        ROW(name_ends_before_it_begins, "name 4: the end must be above"),
        ROW(last_name_ends_early, "names: expected 62 bytes"),
        ROW(last_name_ends_late, "name 15: the end must be"),
        ROW(name_is_latin_1,
            "name 3: a name must be 1 to 65535 bytes of UTF-8"),
        ROW(name_has_a_nul,
            "name 11: a name must be 1 to 65535 bytes of UTF-8"),
        ROW(names_are_not_sorted, "name 2: names must be in order"),
        ROW(name_is_there_twice, "name 2: names must be in order"),
        ROW(name_is_too_long, "found 65536 bytes"),
        ROW(name_is_not_used, "name 16: the name is not used"),
        ROW(list_begins_with_1, "edge 10: the name must be its position 0"),
        ROW(list_has_a_name, "edge 12: the name must be its position 2"),
    };
    sample_check_breakages(rows, sizeof rows / sizeof *rows);
}

TEST(name_check, accepts_the_longest_name)
{
    struct sample s;
    struct vv_parsed_index parsed;
    varve_error error;
    sample_build(&s);
    stretch_last_name(&s, VARVE_MAX_NAME_SIZE);
    sample_encode(&s);
    cr_assert_ok(sample_parse(&s, &parsed, &error), error);
    vv_parsed_index_clear(sample_context(), &parsed);
    sample_clear(&s);
}

/* Builds a dict of objects with these names. */
static void build_dict(
    struct sample *s, const char *const *names, uint32_t count)
{
    sample_init(s);
    for (uint32_t i = 0; i <= count; i++) {
        vv_buffer_add8(sample_column(s, VV_KEY_NODE_KINDS), VARVE_DICT);
        vv_buffer_add32(sample_column(s, VV_KEY_NODE_EDGE_ENDS), count);
        if (i == count)
            break;
        vv_buffer_add_string(sample_column(s, VV_KEY_NAMES), names[i]);
        vv_buffer_add32(sample_column(s, VV_KEY_NAME_ENDS),
            (uint32_t)sample_column(s, VV_KEY_NAMES)->size);
        vv_buffer_add32(sample_column(s, VV_KEY_EDGE_NAMES), i);
        vv_buffer_add32(sample_column(s, VV_KEY_EDGE_CHILDREN), i + 1);
    }
    s->data_end = VV_HEADER_SIZE;
    sample_leave_out_optional(s);
    sample_encode(s);
}

/* Names are compared eight bytes at a time. */
TEST(name_check, compares_names_with_common_prefixes)
{
    static const char *const names[] = { "a", "abcdefg", "abcdefgh",
        "abcdefgh!", "abcdefghi", "abcdefghijklmnop", "abcdefghijklmnop\x7f",
        "abcdefghijklmnopq\xc3\xbc", "abcdefghj", "abcdefgi", "abcdefgi2",
        "\xc3\xbc", "\xf0\x9f\x98\x80" };
    enum { COUNT = sizeof names / sizeof *names };
    struct sample s;
    struct vv_parsed_index parsed;
    varve_error error;
    for (uint32_t i = 0; i < COUNT; i++) {
        for (uint32_t k = 0; k < COUNT; k++) {
            const char *two[] = { names[i], names[k] };
            build_dict(&s, two, 2);
            varve_status status = sample_parse(&s, &parsed, &error);
            cr_assert_eq(status,
                strcmp(names[i], names[k]) < 0 ? VARVE_OK : VARVE_CORRUPT,
                "%s before %s", names[i], names[k]);
            if (!status)
                vv_parsed_index_clear(sample_context(), &parsed);
            sample_clear(&s);
        }
    }
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Builds a list of variables 0 to count - 1. */
static void build_list(struct sample *s, uint32_t count)
{
    char(*names)[12] = calloc(count, sizeof *names);
    sample_init(s);
    for (uint32_t i = 0; i < count; i++)
        snprintf(names[i], sizeof *names, "%u", i);
    qsort(names, count, sizeof *names, compare_texts);
    vv_buffer_extend(sample_column(s, VV_KEY_EDGE_NAMES), 4 * count);
    vv_buffer_add8(sample_column(s, VV_KEY_NODE_KINDS), VARVE_LIST);
    vv_buffer_add32(sample_column(s, VV_KEY_NODE_EDGE_ENDS), count);
    for (uint32_t i = 0; i < count; i++) {
        vv_buffer_add_string(sample_column(s, VV_KEY_NAMES), names[i]);
        vv_buffer_add32(sample_column(s, VV_KEY_NAME_ENDS),
            (uint32_t)sample_column(s, VV_KEY_NAMES)->size);
        sample_set32(s, VV_KEY_EDGE_NAMES, (size_t)atoi(names[i]), i);
        vv_buffer_add32(sample_column(s, VV_KEY_EDGE_CHILDREN), i + 1);
        vv_buffer_add8(sample_column(s, VV_KEY_NODE_KINDS), VARVE_OBJECT);
        vv_buffer_add32(sample_column(s, VV_KEY_NODE_EDGE_ENDS), count);
    }
    s->data_end = VV_HEADER_SIZE;
    sample_leave_out_optional(s);
    sample_encode(s);
    free(names);
}

/* Every position of one to five digits, and each transition to one more
 * digit. */
TEST(name_check, accepts_the_names_of_list_indices)
{
    struct sample s;
    struct vv_parsed_index parsed;
    varve_error error;
    build_list(&s, 10001);
    cr_assert_ok(sample_parse(&s, &parsed, &error), error);
    vv_parsed_index_clear(sample_context(), &parsed);
    sample_clear(&s);
}

TEST(name_check, refuses_other_names_of_list_indices)
{
    struct sample s;
    struct vv_parsed_index parsed;
    build_list(&s, 120);
    for (uint32_t i = 0; i + 1 < 120; i++) {
        sample_swap32(&s, VV_KEY_EDGE_NAMES, i, i + 1);
        sample_encode(&s);
        cr_assert_eq(sample_parse(&s, &parsed, NULL), VARVE_CORRUPT);
        sample_swap32(&s, VV_KEY_EDGE_NAMES, i, i + 1);
    }
    sample_clear(&s);
}
