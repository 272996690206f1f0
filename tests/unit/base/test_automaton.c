/* test_automaton.c - Tests the automaton of patterns. Every result is compared
 * with pattern.c, which evaluates one path at a time.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <stdio.h>
#include <string.h>

#include "automaton.h"
#include "pattern.h"

static struct vv_text text_of(const char *text)
{
    return (struct vv_text){ text, strlen(text) };
}

static const struct vv_state *step(struct vv_automaton *a,
    const struct vv_state *state, struct vv_text name)
{
    struct vv_buffer bytes;
    vv_buffer_init(&bytes, test_allocator());
    vv_name_pattern_unescape(name, &bytes);
    const char *text = vv_buffer_string(&bytes);
    state = vv_automaton_step(a, state, text, bytes.size);
    vv_buffer_clear(&bytes);
    return state;
}

/* Returns the state for a path, or NULL if the text is not a valid path. */
static const struct vv_state *follow(
    struct vv_automaton *a, struct vv_text path)
{
    const struct vv_state *state = a->start;
    struct vv_text name, base, inside;
    while (state && vv_text_next_name(&path, &name)) {
        enum vv_name_form form = vv_name_split(name, &base, &inside);
        if (form == VV_NAME_OF_NONE || (form == VV_NAME_OF_SLOT && !base.size))
            return NULL;
        if (form == VV_NAME_OF_EDGE) {
            state = step(a, state, name);
            continue;
        }
        const struct vv_state *variable = follow(a, inside);
        state = variable ? vv_automaton_slot(
                               a, state, variable, base.bytes, base.size)
                         : NULL;
    }
    return state;
}

static uint64_t random_state;

static void random_text(const char *letters, size_t most, char *text)
{
    random_state = vv_map_mix(random_state + 0x9e3779b97f4a7c15);
    uint64_t bits = random_state;
    size_t size = bits % most;
    for (size_t i = 0; i < size; i++) {
        bits /= 13;
        text[i] = letters[bits % strlen(letters)];
    }
    text[size] = '\0';
}

TEST(automaton, agrees_with_the_pattern_matcher)
{
    enum { PATHS = 40 };
    char pattern[20], path[20];
    size_t found = 0, slots = 0;
    for (int i = 0; i < 10000; i++) {
        static const char *const letters[] = { "ab*/**/", "ab*/()*",
            "ab/**|()?", "a(*)/*(b)" };
        struct vv_automaton a;
        random_text(letters[i % 4], 16, pattern);
        cr_assert_eq(
            vv_automaton_begin(&a, test_allocator(), pattern, NULL), 0);
        for (int k = 0; k < PATHS; k++) {
            random_text("ab/", 7, path);
            if (i % 2) {
                size_t size = strlen(path);
                path[size] = '(';
                random_text("ab/", 7, path + size + 1);
                strcat(path, ")");
            }
            const struct vv_state *state = follow(&a, text_of(path));
            if (!state)
                continue;
            bool expected = vv_pattern_match(pattern, path);
            if (state->accepts != expected)
                cr_assert(false, "%s %s", pattern, path);
            found += expected;
            slots += expected && strchr(path, '(');
        }
        vv_automaton_end(&a);
    }
    cr_assert_gt(found, 20000);
    cr_assert_gt(slots, 1000);
}

static bool takes(struct vv_automaton *a, const char *path)
{
    return follow(a, text_of(path))->accepts;
}

TEST(automaton, records_the_patterns_that_matched)
{
    struct vv_automaton a;
    cr_assert_eq(vv_automaton_begin(&a, test_allocator(),
                     "model|model/a|**/b||opt/m(**)|typo|m(", NULL),
        VARVE_OK);
    cr_assert_eq(a.alternative_count, 6u);
    cr_assert(takes(&a, "model"));
    cr_assert(takes(&a, "model/a"));
    cr_assert(takes(&a, "opt/m(model/c)"));
    static const bool expected[] = { true, true, false, true, false, false };
    for (size_t i = 0; i < a.alternative_count; i++)
        cr_assert_eq(vv_alternative_was_used(&a.alternatives[i]), expected[i],
            "%.*s", (int)a.alternatives[i].text.size,
            a.alternatives[i].text.bytes);
    cr_assert_not(takes(&a, "x/y"));
    cr_assert(takes(&a, "x/b/z"));
    cr_assert(vv_alternative_was_used(&a.alternatives[2]));
    vv_automaton_end(&a);
}

TEST(automaton, has_few_states_for_many_patterns)
{
    enum { MANY = 10000 };
    static char patterns[MANY * 24];
    char *at = patterns, path[40];
    struct vv_automaton a;
    for (int i = 0; i < MANY; i++)
        at += sprintf(at, "layers/%d/m(a/w%d)|", i, i);
    cr_assert_eq(
        vv_automaton_begin(&a, test_allocator(), patterns, NULL), VARVE_OK);
    for (int i = 0; i < MANY; i++) {
        sprintf(path, "layers/%d/m(a/w%d)", i, i);
        cr_assert(takes(&a, path));
        sprintf(path, "layers/%d/m(a/w%d)", i, i + 1);
        cr_assert_not(takes(&a, path));
    }
    cr_assert_lt(a.state_count, 4 * MANY);
    vv_automaton_end(&a);
}

TEST(automaton, fails_if_patterns_need_too_many_states)
{
    enum { SIZE = 64 * 1024 };
    static char pattern[SIZE];
    varve_error error;
    struct vv_automaton a;
    strcpy(pattern, "**");
    while (strlen(pattern) < SIZE - 4)
        strcpy(pattern + strlen(pattern), "/a");
    cr_assert_eq(
        vv_automaton_begin(&a, test_allocator(), pattern, NULL), VARVE_OK);
    const struct vv_state *state = a.start;
    for (int i = 0; i < SIZE && state; i++)
        state = vv_automaton_step(&a, state, "a", 1);
    cr_assert_null(state);
    cr_assert_eq(vv_automaton_fail(&a, &error), VARVE_LIMIT);
    cr_assert(strstr(error.message,
        "\": the patterns are too complex: they need more than"));
    vv_automaton_end(&a);
}

TEST(automaton, accepts_nested_parentheses_up_to_a_depth)
{
    enum { SIZE = 64 * 1024 };
    static char pattern[SIZE + 1];
    struct vv_automaton a;
    memset(pattern, '(', SIZE);
    cr_assert_eq(
        vv_automaton_begin(&a, test_allocator(), pattern, NULL), VARVE_OK);
    vv_automaton_end(&a);
    memset(pattern + SIZE / 2, ')', SIZE / 2);
    cr_assert_eq(
        vv_automaton_begin(&a, test_allocator(), pattern, NULL), VARVE_OK);
    vv_automaton_end(&a);
    cr_assert_not(vv_pattern_match(pattern, pattern));
}

TEST(automaton, fails_without_memory)
{
    bool done = false;
    for (long n = 0; !done; n++) {
        struct vv_automaton a;
        test_fail_allocation(n, false);
        varve_status status = vv_automaton_begin(&a, test_allocator(),
            "a/*/m(**/b)|**/c%2F|x?", NULL);
        if (status == VARVE_OK) {
            const struct vv_state *state =
                vv_automaton_step(&a, a.start, "a", 1);
            state = vv_automaton_step(&a, state, "bb", 2);
            done = state && vv_automaton_slot(&a, state, a.start, "m", 1);
            if (!done)
                cr_assert_eq(vv_automaton_fail(&a, NULL), VARVE_NO_MEMORY);
            vv_automaton_end(&a);
        } else {
            cr_assert_eq(status, VARVE_NO_MEMORY);
        }
        cr_assert_lt(n, 100);
    }
    test_fail_allocation(-1, false);
}
