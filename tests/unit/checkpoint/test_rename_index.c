/* test_rename_index.c - Tests the index of renames against applying all renames
 * in order to the text.
 *
 * SPDX-License-Identifier: MIT
 */
#include "rename_index.h"

#include "support/test.h"
#include "edge.h"
#include "pattern.h"
#include "saved_path.h"
#include "visited_paths.h"
#include "worlds.h"

enum { MANY = 40, DEPTH = 5, LONGEST = 256 };

static float value;
static uint64_t seed;

static unsigned random_below(unsigned count)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(seed >> 40) % count;
}

/* Adds a path of names like `ab`, whose end may occur in a pattern. */
static void add_names(char *text, bool with_stars, unsigned wildcards)
{
    static const char *const names[] = { "a", "ab", "b", "ba", "%61b", "é" };
    static const char *const patterns[] = { "a*", "*b", "*", "a*b", "*%61*",
        "%C3*" };
    unsigned count = 1 + random_below(4), deep = with_stars ? wildcards : 9;
    for (unsigned i = 0; i < count; i++) {
        if (i > 0)
            strcat(text, "/");
        if (with_stars && random_below(3) == 0)
            strcat(text, patterns[random_below(6)]);
        else if (deep < 3 && random_below(3) == 0)
            strcat(text, "**");
        else
            strcat(text, names[random_below(6)]);
    }
}

static char left[MANY][LONGEST], right[MANY][LONGEST];
static varve_rename renames[MANY];

/* Makes renames to paths without slots: the wildcards of the left side, with
 * other names between them. */
static void make_renames(void)
{
    static const char *const others[] = { "a", "b", "ab/", "b/a/", "" };
    for (unsigned i = 0; i < MANY; i++) {
        left[i][0] = right[i][0] = '\0';
        add_names(left[i], random_below(4) != 0, random_below(4));
        for (const char *c = left[i]; *c; c++) {
            size_t size = strlen(right[i]);
            if (*c == '*' || *c == '/')
                right[i][size++] = *c;
            right[i][size] = '\0';
            if (*c != '*' && (c[1] == '/' || !c[1]))
                strcat(right[i], others[random_below(5)]);
        }
        renames[i] = (varve_rename){ left[i], right[i] };
        if (!vv_pattern_same_wildcards(left[i], right[i]))
            renames[i].file = left[i];
    }
}

/* Creates only objects, so that renames lead to nodes of the same kind. */
static void grow(varve_node *node, unsigned depth)
{
    static const char *const names[] = { "a", "ab", "b", "ba", "é", "c" };
    for (unsigned i = 0; i < 6 && depth < DEPTH; i++) {
        if (random_below(3) != 0)
            grow(varve_add_object(node, names[i]), depth + 1);
    }
}

struct compared {
    varve_restoration *r;
    varve_node *root;
    unsigned found;
};

/* Compares the first rename that matches a path with the result of the
 * index. */
static varve_status compare(void *user, varve_node *node, const char *path)
{
    struct compared *c = user;
    struct vv_visited_paths *ways = &c->r->pairing.ways;
    const struct vv_parsed_index *parsed = ways->saved->parsed;
    const struct vv_path_step *via = &ways->vias[node->number];
    struct vv_buffer text, scratch;
    uint32_t wanted = VV_NONE, found = VV_NONE;
    bool is_wanted = false;
    if (node == c->root)
        return VARVE_OK;
    vv_buffer_init(&text, test_allocator());
    vv_buffer_init(&scratch, test_allocator());
    for (unsigned i = 0; i < MANY && !is_wanted; i++) {
        is_wanted =
            vv_pattern_rename(renames[i].program, renames[i].file, path, &text);
        if (is_wanted)
            wanted = vv_saved_find(&parsed->index, ways->saved->root,
                vv_buffer_string(&text), &scratch);
    }
    struct vv_text name = { via->name->bytes, via->name->size };
    bool is_found =
        vv_find_renamed(ways, vv_first_in(node)->parent, name, &found);
    cr_assert_eq(is_found, is_wanted, "%s", path);
    cr_assert(!is_wanted || found == wanted, "%s", path);
    c->found += is_found;
    vv_buffer_clear(&text);
    vv_buffer_clear(&scratch);
    return VARVE_OK;
}

TEST(rename_index, finds_the_first_rename_of_many)
{
    unsigned sum = 0;
    for (seed = 1; seed < 12; seed++) {
        uint64_t number = seed;
        begin_world();
        varve_node *root = new_root();
        grow(root, 0);
        write_root(root);
        free_root(root);
        make_renames();
        root = new_root();
        grow(root, 0);
        struct compared c = { .root = root };
        c.r =
            read_root(root, &(varve_read_options){ .expect.missing = "**",
                                .expect.unexpected = "**",
                                .rename = { .list = renames, .count = MANY } });
        varve_error error = { 0 };
        cr_assert_ok(varve_walk(root, compare, &c, &error), error);
        sum += c.found;
        varve_restoration_free(c.r);
        free_root(root);
        end_world();
        seed = number;
    }
    cr_assert_gt(sum, 1000u);
}

/* Only the last 16 names are compared. */
TEST(rename_index, finds_renames_with_many_names)
{
    begin_world();
    varve_node *root = new_root(), *node = root;
    for (int i = 0; i < 40; i++)
        node = varve_add_object(node, "n");
    varve_add_variable(node, "old", varve_scalar(&value));
    write_root(root);
    free_root(root);
    char program[LONGEST] = "", file[LONGEST] = "";
    root = node = new_root();
    for (int i = 0; i < 40; i++) {
        node = varve_add_object(node, "n");
        strcat(program, "n/");
        strcat(file, "n/");
    }
    varve_add_variable(node, "new", varve_scalar(&value));
    const varve_rename rename = { strcat(program, "new"), strcat(file, "old") };
    varve_restoration *r = read_root(root,
        &(varve_read_options){ .rename = { .list = &rename, .count = 1 } });
    varve_error error = { 0 };
    cr_assert_ok(varve_assert_consumed(r, &error), error);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(rename_index, adds_nothing_without_memory)
{
    struct vv_rename_parts parts;
    uint32_t stage;
    cr_assert(
        vv_rename_parts_begin(&parts, test_allocator(), "a*/**/b", "x*/**/y"));
    bool done = false;
    for (long n = 0; !done; n++) {
        struct vv_rename_index index;
        vv_rename_index_init(&index, test_allocator());
        test_fail_allocation(n, false);
        done = vv_rename_index_add(&index, 0, &parts, &stage);
        test_fail_allocation(-1, false);
        cr_assert(n < 20);
        cr_assert(!done || stage == 1);
        vv_rename_index_clear(&index);
    }
    vv_rename_parts_end(&parts, test_allocator());
}

static bool set(
    struct vv_rename_states *states, uint32_t node, uint32_t count, uint32_t at)
{
    struct vv_buffer list;
    bool is_new = false;
    vv_buffer_init(&list, test_allocator());
    for (uint32_t i = 0; i < count; i++)
        vv_buffer_add(&list,
            &(struct vv_stage_state){
                .stage = 2 * i + 1, .state = { .piece = 1, .at = at + i } },
            sizeof(struct vv_stage_state));
    cr_assert(vv_rename_states_set(states, node, &list, &is_new));
    vv_buffer_clear(&list);
    return is_new;
}

TEST(rename_stands, are_stored_by_node_and_stage)
{
    struct vv_rename_states states;
    size_t count;
    vv_rename_states_init(&states, test_allocator());
    cr_assert_null(vv_rename_states_at(&states, 3, &count));
    cr_assert(vv_rename_states_grow(&states, 4));
    cr_assert(set(&states, 1, 3, 10));
    cr_assert(set(&states, 2, 1, 20));
    cr_assert_not(set(&states, 2, 1, 20));
    cr_assert(set(&states, 2, 1, 21));
    cr_assert(set(&states, 1, 5, 10));
    cr_assert(set(&states, 1, 4, 10));
    vv_rename_states_at(&states, 1, &count);
    cr_assert_eq(count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        cr_assert_eq(vv_rename_state_in(&states, 1, 2 * i + 1)->at, 10 + i);
        cr_assert_null(vv_rename_state_in(&states, 1, 2 * i));
    }
    cr_assert_eq(vv_rename_state_in(&states, 2, 1)->at, 21);
    cr_assert_null(vv_rename_state_in(&states, 3, 1));
    vv_rename_states_clear(&states);
}

TEST(rename_stands, are_unchanged_without_memory)
{
    struct vv_rename_states states;
    struct vv_stage_state one = { .stage = 1, .state = { .piece = 1 } };
    struct vv_buffer list;
    bool is_new;
    size_t count;
    vv_rename_states_init(&states, test_allocator());
    vv_buffer_init(&list, test_allocator());
    vv_buffer_add(&list, &one, sizeof one);
    cr_assert(vv_rename_states_grow(&states, 1));
    test_fail_allocation(0, true);
    cr_assert_not(vv_rename_states_grow(&states, 1000));
    cr_assert_not(vv_rename_states_set(&states, 0, &list, &is_new));
    test_fail_allocation(-1, false);
    vv_rename_states_at(&states, 0, &count);
    cr_assert_eq(count, 0);
    vv_buffer_clear(&list);
    vv_rename_states_clear(&states);
}
