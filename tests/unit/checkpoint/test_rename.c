/* test_rename.c - Tests renames of single paths against pattern.c, which
 * compares whole paths.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <stdio.h>
#include <string.h>

#include "allocator.h"
#include "pattern.h"
#include "rename.h"

/* On the left a chain of names; on the right every path is a node that is
 * identified by its text. */
enum { MOST = 12, NODES = 4096, LONGEST = 256 };

static struct vv_text names[MOST]; /* by node: name of the edge to it */
static struct vv_rename_state states[MOST];
static char right[NODES][LONGEST];
static uint32_t right_count;

static struct vv_text above(void *user, uint32_t *node)
{
    (void)user;
    return names[(*node)--];
}

static const struct vv_rename_state *state_of(void *user, uint32_t node)
{
    (void)user;
    return &states[node];
}

static uint32_t right_node(const char *text)
{
    uint32_t i = 0;
    while (i < right_count && strcmp(right[i], text) != 0)
        i++;
    if (i == right_count) {
        cr_assert_lt(right_count, NODES);
        strcpy(right[right_count++], text);
    }
    return i;
}

static uint32_t name_of(void *user, struct vv_text name)
{
    char text[LONGEST] = { 0 };
    (void)user;
    memcpy(text, name.bytes, name.size);
    return right_node(text);
}

static uint32_t child_of(void *user, uint32_t at, uint32_t name)
{
    char text[2 * LONGEST + 2];
    (void)user;
    snprintf(
        text, sizeof text, "%s%s%s", right[at], at ? "/" : "", right[name]);
    return right_node(text);
}

static uint32_t slot_of(
    void *user, uint32_t owner, uint32_t variable, uint32_t name)
{
    char text[3 * LONGEST + 4];
    (void)user;
    snprintf(text, sizeof text, "%s%s%s(%s)", right[owner], owner ? "/" : "",
        right[name], right[variable]);
    return right_node(text);
}

/* Follows a path of one-letter names and compares each of its ends. */
static void compare(const char *from, const char *to, const char *path)
{
    struct vv_rename_parts parts;
    struct vv_buffer scratch, text;
    vv_buffer_init(&scratch, test_allocator());
    vv_buffer_init(&text, test_allocator());
    right_count = 0;
    right_node("");
    const struct vv_rename_sides sides = { .above = above,
        .state = state_of,
        .name = name_of,
        .child = child_of,
        .slot = slot_of,
        .scratch = &scratch };
    cr_assert(vv_rename_parts_begin(&parts, test_allocator(), from, to));
    struct vv_rename_step step = { 0, { NULL, 0 } };
    states[0] = vv_rename_follow(&parts, &sides, step);
    for (uint32_t i = 1; path[2 * i - 2]; i++) {
        char front[2 * MOST] = { 0 };
        uint32_t at = 0;
        memcpy(front, path, 2 * i - 1);
        step = (struct vv_rename_step){ i - 1, { path + 2 * i - 2, 1 } };
        names[i] = step.name;
        bool wanted = vv_pattern_rename(from, to, front, &text);
        bool found = vv_rename_match(&parts, &sides, step, &at);
        cr_assert_eq(found, wanted, "%s -> %s: %s", from, to, front);
        if (wanted)
            cr_assert_str_eq(right[at], vv_buffer_string(&text), "%s -> %s: %s",
                from, to, front);
        states[i] = vv_rename_follow(&parts, &sides, step);
        if (!path[2 * i - 1])
            break;
    }
    vv_rename_parts_end(&parts, test_allocator());
    vv_buffer_clear(&scratch);
    vv_buffer_clear(&text);
}

TEST(rename, maps_paths_like_its_text_form)
{
    static const char *const renames[][2] = { { "**", "**" }, { "a/**", "**" },
        { "**", "x/**" }, { "**/a", "**/x" }, { "**/a/b", "x/**" },
        { "a/**/b", "**" }, { "**/a/**/b", "**/x/**/y" },
        { "**/**", "**/y/**" }, { "**/*/a/**/b/*", "**/x*/**/*" },
        { "*/**/*", "*/**/x/*" }, { "*/*", "*_*" }, { "a", "x/y" },
        { "a*/**", "x/*/**" }, { "**/a*", "**/*" }, { "a*/b/**", "*/**" },
        { "**/a/**", "o/s(**/**)" }, { "**/b", "o/s(m/**)/x" },
        { "*/**/a", "*/s(**/x)" }, { "**/a/*/b/**/c", "**/*/**" },
        { "a**b/**", "x**y/**" } };
    uint64_t seed = 1;
    for (size_t i = 0; i < sizeof renames / sizeof *renames; i++) {
        cr_assert(vv_pattern_same_wildcards(renames[i][0], renames[i][1]));
        for (int k = 0; k < 300; k++) {
            char path[2 * MOST] = { 0 };
            size_t count = 1 + (size_t)k % (MOST - 2);
            for (size_t n = 0; n < count; n++) {
                seed = seed * 6364136223846793005u + 1442695040888963407u;
                path[2 * n] = "aabbc"[(seed >> 40) % 5];
                path[2 * n + 1] = n + 1 < count ? '/' : '\0';
            }
            compare(renames[i][0], renames[i][1], path);
        }
    }
}

TEST(rename, fails_without_memory)
{
    struct vv_rename_parts parts;
    for (long n = 0; n < 2; n++) {
        test_fail_allocation(n, false);
        cr_assert_not(
            vv_rename_parts_begin(&parts, test_allocator(), "a/**", "**"));
        test_fail_allocation(-1, false);
    }
}
