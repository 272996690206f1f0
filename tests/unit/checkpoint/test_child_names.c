/* test_child_names.c - Tests dropping pending values with wildcards in the last
 * name of a path.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

#include <stdio.h>
#include <string.h>

#include <varve/structure.h>

enum { PLACES = 40, DROPS = 12, ROUNDS = 300 };

/* A value with its paths. */
struct place {
    char paths[2][32]; /* the second one can be empty */
    bool is_dropped;
};

static float values[PLACES];
static uint64_t state;

static unsigned below(unsigned limit)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % limit;
}

/* Writes a name or a pattern of a few characters. */
static void make_text(char *text, const char *letters)
{
    unsigned size = 1 + below(4);
    for (unsigned i = 0; i < size; i++)
        text[i] = letters[below((unsigned)strlen(letters))];
    text[size] = '\0';
}

/* Adds a variable below one of three nodes. A quarter of the variables have a
 * second path. */
static bool add_place(varve_node *parents[3], struct place *place, float *value)
{
    static const char *const above[] = { "", "o/", "o/p/" };
    char name[8], second[8];
    unsigned at = below(3), other = below(3);
    make_text(name, "abcd.");
    make_text(second, "abcd.");
    *place = (struct place){ .is_dropped = false };
    if (varve_find(parents[at], name))
        return false;
    varve_node *v = varve_add_variable(parents[at], name, varve_scalar(value));
    snprintf(place->paths[0], sizeof place->paths[0], "%s%s", above[at], name);
    if (below(4) || varve_find(parents[other], second))
        return true;
    varve_track(parents[other], second, v);
    snprintf(
        place->paths[1], sizeof place->paths[1], "%s%s", above[other], second);
    return true;
}

static size_t write_places(struct place places[PLACES])
{
    varve_node *root = new_root();
    varve_node *o = varve_add_object(root, "o");
    varve_node *parents[] = { root, o, varve_add_object(o, "p") };
    size_t count = 0;
    for (size_t i = 0; i < PLACES; i++)
        count += add_place(parents, &places[count], &values[count]);
    write_root(root);
    free_root(root);
    return count;
}

static void make_pattern(char *pattern)
{
    static const char *const above[] = { "", "", "o/", "o/p/", "*/", "**/", "/",
        "o//", "a|" };
    strcpy(pattern, above[below(sizeof above / sizeof *above)]);
    make_text(pattern + strlen(pattern), "abcd.*****");
}

static size_t drop_from_model(
    struct place *places, size_t count, const char *pattern)
{
    size_t rest = 0;
    for (size_t i = 0; i < count; i++) {
        for (int k = 0; k < 2; k++)
            places[i].is_dropped |=
                places[i].paths[k][0] &&
                varve_path_matches(pattern, places[i].paths[k]);
        rest += !places[i].is_dropped;
    }
    return rest;
}

TEST(child_names, drops_children_that_match_patterns)
{
    struct place places[PLACES];
    char pattern[32];
    varve_error error = { 0 };
    for (int round = 0; round < ROUNDS; round++) {
        begin_world();
        size_t count = write_places(places);
        varve_node *root = new_root();
        varve_restoration *r = read_root(root, NULL);
        cr_assert_eq(varve_pending_count(r), count);
        for (int i = 0; i < DROPS; i++) {
            make_pattern(pattern);
            size_t rest = drop_from_model(places, count, pattern);
            cr_assert_ok(varve_drop_pending(r, pattern, &error), error);
            cr_assert_eq(
                varve_pending_count(r), rest, "%s, round %d", pattern, round);
        }
        varve_restoration_free(r);
        free_root(root);
        end_world();
    }
}

TEST(child_names, fall_back_to_a_search_without_memory)
{
    struct place places[PLACES];
    begin_world();
    size_t count = write_places(places);
    varve_node *root = new_root();
    varve_restoration *r = read_root(root, NULL);
    varve_status status = VARVE_NO_MEMORY;
    cr_assert_ok(varve_drop_pending(r, "*none", NULL), (varve_error){ 0 });
    for (long n = 0; status; n++) {
        varve_error error = { 0 };
        test_fail_allocation(n, false);
        status = varve_drop_pending(r, "*a", &error);
        test_fail_allocation(-1, false);
        cr_assert(!status || status == VARVE_NO_MEMORY);
    }
    cr_assert_eq(varve_pending_count(r), drop_from_model(places, count, "*a"));
    varve_restoration_free(r);
    free_root(root);
    end_world();
}
