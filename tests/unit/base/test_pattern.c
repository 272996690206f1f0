/* test_pattern.c - Tests path patterns, their wildcards, and renames.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <stdio.h>
#include <string.h>

#include "hash_table.h"
#include "pattern.h"

static const struct {
    const char *patterns;
    const char *path;
    bool match;
} matching[] = {
    { "model", "model", true },
    { "/model", "model", true },
    { "model", "/model", true },
    { "model/", "model/kernel", true },
    { "model", "model/a/b", true },
    { "model", "model2", false },
    { "model2", "model", false },
    { "model/a", "model", false },
    { "*", "model", true },
    { "*/kernel", "model/kernel", true },
    { "*/kernel", "kernel", false },
    { "*/kernel", "a/b/kernel", false },
    { "**/kernel", "kernel", true },
    { "**/kernel", "a/b/kernel", true },
    { "**/kernel", "a/kernel/b", true },
    { "**/kernel", "a/kernels", false },
    { "model/**", "model", true },
    { "model/**", "model/a/b", true },
    { "a/**/b/**/c", "a/b/c", true },
    { "a/**/b/**/c", "a/x/b/y/z/c", true },
    { "a/**/b/**/c", "a/x/c/y/b", false },
    { "layer_*", "layer_12/kernel", true },
    { "layer_*", "layer_", true },
    { "layer_*", "layers", false },
    { "*_*_x", "a_b_c_x", true },
    { "*_*_x", "a_x", false },
    { "a**b", "aXYb", true }, /* inside a name, two stars are one */
    { "a**b", "aX/Yb", false },
    { "a|m(b|model", "a", true }, /* to the end, and nothing */
    { "a|m(b|model", "model", false },
    { "a%2Fb", "a%2Fb", true },
    { "a%2Fb", "a/b", false },
    { "a%2*", "a%2Fb", false }, /* half of a character */
    { "a%2F*", "a%2Fb", true },
    { "a%3Fb", "a?b", true },
    { "a%2fb", "a%2Fb", true },
    { "layer_?", "layer_1/kernel", true },
    { "layer_?", "layer_12", false },
    { "layer_?", "layer_%2F", true },
    { "?", "\xc3\xa4", true },
    { "[\xc3\xa4-\xc3\xbc]", "\xc3\xb6", true },
    { "layer_[0-9]", "layer_1", true },
    { "layer_[!0-9]", "layer_1", false },
    { "layer_[!0-9]", "layer_x", true },
    { "layer_[0-9x]", "layer_x", true },
    { "[]x]", "]", true },
    { "[x", "[x", true },
    { "[]", "[]", true },
    { "w[0]", "w0", true },
    { "w[0]", "w[0]", true }, /* a path matches itself */
    { "w[0]", "w1", false },
    { "w?", "w?", true },
    { "w%5B0]", "w[0]", true },
    { "w%5B0]", "w0", false },
    { "*[0-9]?", "layer_12", true },
    { "*[0-9]?", "layer_1", false },
    { "a|b", "b/c", true },
    { "a|b", "c", false },
    { "a/x|*/y|z", "b/y", true },
    { "opt/m", "opt/m(model/kernel)", false },
    { "opt/*", "opt/m(model/kernel)", true },
    { "opt/m*", "opt/m(model/kernel)", true },
    { "opt/*kernel)", "opt/m(model/kernel)", false },
    { "opt/?(**)", "opt/m(model/kernel)", true },
    { "opt/m(**)", "opt/m(model/kernel)", true },
    { "opt/m(model)", "opt/m(model/kernel)", true },
    { "opt/m(kernel)", "opt/m(model/kernel)", false },
    { "opt/m(**/kernel)", "opt/m(model/kernel)", true },
    { "opt/m(net|model)", "opt/m(model/kernel)", true },
    { "opt/m(net|mode)", "opt/m(model/kernel)", false },
    { "**/m(**)", "opt/m(model/kernel)", true },
    { "m(**)", "opt/m(model/kernel)", false },
    { "opt/m()", "opt/m(model/kernel)", false },
    { "opt/m(/)", "opt/m(model/kernel)", true },
    { "opt/m(model)x", "opt/m(model/kernel)", false },
    { "opt/m(model/kernel)", "opt/m", false },
    { "opt/m(*)", "opt/m(model/kernel)", true },
    { "opt/*(model/kernel)", "opt/m(model/kernel)", true },
    { "opt/m(model/*)", "opt/m(model/kernel)", true },
    { "opt/m(net/*)", "opt/m(model/kernel)", false },
    { "*(opt/m(model/*))", "opt2/v(opt/m(model/kernel))", false },
    { "*/*(opt/m(model/*))", "opt2/v(opt/m(model/kernel))", true },
    { "**/kernel", "opt/m(model/kernel)", false },
    { "opt/m(model", "opt/m(model/kernel)", false },
    { "/", "anything/at/all", true },
    { "**", "anything/at/all", true },
    { "/", "", true },
    { "**", "", true },
    { "*", "", false },
    { NULL, "a", false },
    { "", "a", false },
    { "", "", false },
    { "b||", "a", false },
    { "|", "a", false },
    { "|a", "a", true },
};

TEST(pattern, matches_paths_and_their_subtrees)
{
    for (size_t i = 0; i < sizeof matching / sizeof *matching; i++)
        cr_assert_eq(
            vv_pattern_match(matching[i].patterns, matching[i].path),
            matching[i].match, "%s %s", matching[i].patterns,
            matching[i].path);
}

/* --- A reference implementation that tries all matches ------------------ */

enum { MOST = 12 };

struct names {
    char text[MOST][MOST + 1];
    size_t count;
};

static void split(const char *path, struct names *names)
{
    size_t size = 0;
    int depth = 0;
    names->count = 0;
    for (;; path++) {
        if (*path == '\0' || (*path == '/' && depth == 0)) {
            names->text[names->count][size] = '\0';
            names->count += size > 0;
            size = 0;
        } else {
            names->text[names->count][size++] = *path;
            depth += *path == '(' ? 1 : *path == ')' && depth > 0 ? -1 : 0;
        }
        if (*path == '\0')
            return;
    }
}

/* The matched parts, each followed by ';'. */
struct trail {
    char text[100];
    size_t size;
};

static size_t note(struct trail *trail, const char *text, size_t size)
{
    size_t before = trail->size;
    memcpy(trail->text + before, text, size);
    trail->text[before + size] = ';';
    trail->size += size + 1;
    trail->text[trail->size] = '\0';
    return before;
}

static bool name_matches(
    const char *want, const char *name, struct trail *trail)
{
    if (*want == '\0')
        return *name == '\0';
    if (*want != '*')
        return *want == *name && name_matches(want + 1, name + 1, trail);
    while (want[1] == '*')
        want++;
    for (size_t size = 0; size <= strlen(name); size++) {
        size_t before = note(trail, name, size);
        if (name_matches(want + 1, name + size, trail))
            return true;
        trail->size = before;
    }
    return false;
}

struct oracle {
    struct names pattern;
    struct names path;
    bool whole;
    struct trail trail;
};

static bool matches(struct oracle *o, size_t p, size_t s);

static bool deep_matches(struct oracle *o, size_t p, size_t s)
{
    char text[100] = "";
    for (size_t end = s; end <= o->path.count; end++) {
        if (end > s) {
            strcat(text, end > s + 1 ? "/" : "");
            strcat(text, o->path.text[end - 1]);
        }
        size_t before = note(&o->trail, text, strlen(text));
        if (matches(o, p + 1, end))
            return true;
        o->trail.size = before;
    }
    return false;
}

static bool matches(struct oracle *o, size_t p, size_t s)
{
    if (p == o->pattern.count)
        return !o->whole || s == o->path.count;
    const char *want = o->pattern.text[p];
    if (strlen(want) > 1 && strspn(want, "*") == strlen(want))
        return deep_matches(o, p, s);
    size_t before = o->trail.size;
    if (s < o->path.count && name_matches(want, o->path.text[s], &o->trail) &&
        matches(o, p + 1, s + 1))
        return true;
    o->trail.size = before;
    return false;
}

static bool asked(
    struct oracle *o, const char *pattern, const char *path, bool whole)
{
    o->whole = whole;
    o->trail.size = 0;
    o->trail.text[0] = '\0';
    split(pattern, &o->pattern);
    split(path, &o->path);
    return matches(o, 0, 0);
}

static uint64_t random_state;

static void random_text(const char *letters, char *text)
{
    random_state = vv_map_mix(random_state + 0x9e3779b97f4a7c15);
    uint64_t bits = random_state;
    size_t size = bits % MOST;
    for (size_t i = 0; i < size; i++) {
        bits /= 13;
        text[i] = letters[bits % strlen(letters)];
    }
    text[size] = '\0';
}

TEST(pattern, matches_like_a_reference_implementation)
{
    char pattern[MOST + 1], path[MOST + 1];
    static struct oracle o;
    size_t found = 0;
    for (int i = 0; i < 1000000; i++) {
        random_text("ab*/**/", pattern);
        random_text("ab/", path);
        bool expected = *pattern && asked(&o, pattern, path, false);
        if (vv_pattern_match(pattern, path) != expected)
            cr_assert(false, "%s %s", pattern, path);
        found += expected;
    }
    cr_assert_gt(found, 100000);
}

/* Converts `pattern` to a rename template with its wildcards as separate names:
 * "*", "**", in order, each preceded by its number. The renamed path then shows
 * what each wildcard matched. */
static void show_template(const char *pattern, char *text)
{
    struct names names;
    split(pattern, &names);
    for (size_t i = 0; i < names.count; i++) {
        const char *name = names.text[i];
        if (strlen(name) > 1 && strspn(name, "*") == strlen(name)) {
            text += sprintf(text, "<;/**/>;/");
            continue;
        }
        for (size_t k = 0; name[k]; k++)
            if (name[k] == '*' && (k == 0 || name[k - 1] != '*'))
                text += sprintf(text, "<*>;/");
    }
    *text = '\0';
}

/* Formats the trail like the result of the template above. */
static void show_trail(const char *pattern, const char *trail, char *text)
{
    struct names names;
    split(pattern, &names);
    char *begin = text;
    for (size_t i = 0; i < names.count; i++) {
        const char *name = names.text[i];
        bool deep = strlen(name) > 1 && strspn(name, "*") == strlen(name);
        for (size_t k = 0; name[k]; k++) {
            if (name[k] != '*' || (k > 0 && name[k - 1] == '*'))
                continue;
            int size = (int)strcspn(trail, ";");
            text += sprintf(text, deep ? "<;/%.*s%s>;/" : "<%.*s%s>;/", size,
                trail, deep && size ? "/" : "");
            trail += size + 1;
        }
    }
    *text = '\0';
    if (text > begin)
        text[-1] = '\0';
}

TEST(pattern, renames_with_the_shortest_wildcard_matches)
{
    char pattern[MOST + 1], path[MOST + 1], to[200], expected[200];
    static struct oracle o;
    struct vv_buffer result;
    size_t found = 0;
    vv_buffer_init(&result, test_allocator());
    for (int i = 0; i < 1000000; i++) {
        random_text("ab*/**/", pattern);
        random_text("ab/", path);
        show_template(pattern, to);
        cr_assert(vv_pattern_same_wildcards(pattern, to));
        bool renamed = vv_pattern_rename(pattern, to, path, &result);
        if (renamed != asked(&o, pattern, path, true))
            cr_assert(false, "%s %s", pattern, path);
        if (!renamed)
            continue;
        show_trail(pattern, o.trail.text, expected);
        if (strcmp(vv_buffer_string(&result), expected) != 0)
            cr_assert(false, "%s %s: %s, not %s", pattern, path, expected,
                vv_buffer_string(&result));
        found++;
    }
    cr_assert_gt(found, 10000);
    vv_buffer_clear(&result);
}

TEST(pattern, renames_whole_paths)
{
    static const struct {
        const char *from;
        const char *to;
        const char *path;
        const char *result; /* NULL: not renamed */
    } cases[] = {
        { "backbone", "vgg/features", "backbone", "vgg/features" },
        { "/backbone", "/vgg/features/", "backbone", "vgg/features" },
        { "backbone", "vgg/features", "backbone/kernel", NULL },
        { "*/kernel", "net/*/w", "a/kernel", "net/a/w" },
        { "layer_*", "layers/*", "layer_12", "layers/12" },
        { "layer_*", "layers/*", "layer_", NULL }, /* names are never empty */
        { "**/kernel", "x/**/w", "kernel", "x/w" },
        { "**/kernel", "x/**/w", "a/b/kernel", "x/a/b/w" },
        { "a/**", "**", "a", "" },
        { "**/*", "**/old_*", "a/b/c", "a/b/old_c" },
        { "*/*", "x*/*", "a/b", "xa/b" },
        { "opt/*(model/**)", "adam/*(net/**)", "opt/m(model/a/b)",
            "adam/m(net/a/b)" },
        { "opt/m(model/**)", "net/**", "opt/m(model/a/b)", "net/a/b" },
        { "net/**", "opt/m(model/**)", "net/a/b", "opt/m(model/a/b)" },
        { "net/*/*", "*(*)", "net/a/b", "a(b)" },
        { "**/m*", "**/v*", "a/m(b/c)", "a/v(b/c)" },
        { "opt/m(model)", "a", "opt/m(model/w)", NULL },
        { "a[0]", "b?", "a[0]", "b?" }, /* only stars are wildcards */
        { "a[0]", "b", "a0", NULL },
        { "a*", "b*", "a%2Fx", "b%2Fx" },
        { "", "model", "", "model" },
        { "/", "model", "", "model" },
        { "model", "/", "model", "" },
        { "", "model", "a", NULL },
        { "*/**", "**/*", "a/b", NULL }, /* different wildcards */
        { "a", "*", "a", NULL },
    };
    struct vv_buffer result;
    vv_buffer_init(&result, test_allocator());
    vv_buffer_add_string(&result, "what was there");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool renamed = vv_pattern_rename(
            cases[i].from, cases[i].to, cases[i].path, &result);
        cr_assert_eq(renamed, cases[i].result != NULL, "case %zu", i);
        if (renamed)
            cr_assert_str_eq(vv_buffer_string(&result), cases[i].result);
    }
    vv_buffer_clear(&result);
}

TEST(pattern, compares_wildcards_of_renames)
{
    cr_assert(vv_pattern_same_wildcards("a", "b/c"));
    cr_assert(vv_pattern_same_wildcards("", "b/c"));
    cr_assert(vv_pattern_same_wildcards("*/a_*_*/**", "**a/x*y*/**"));
    cr_assert_not(vv_pattern_same_wildcards("*", "**"));
    cr_assert_not(vv_pattern_same_wildcards("*", "a"));
    cr_assert_not(vv_pattern_same_wildcards("*/*", "*"));
    cr_assert_not(vv_pattern_same_wildcards("*/**", "**/*"));
    cr_assert_not(vv_pattern_same_wildcards("a|b", "a"));
    cr_assert_not(vv_pattern_same_wildcards("a", "a|b"));
    char many[3 * VV_PATTERN_MAX_WILDCARDS + 3] = "";
    for (int i = 0; i < VV_PATTERN_MAX_WILDCARDS; i++)
        strcat(many, "x*");
    cr_assert(vv_pattern_same_wildcards(many, many));
    strcat(many, "x*");
    cr_assert_not(vv_pattern_same_wildcards(many, many));
}

TEST(pattern, renames_nothing_without_memory)
{
    struct vv_buffer result;
    bool done = false;
    for (long n = 0; !done; n++) {
        vv_buffer_init(&result, test_allocator());
        test_fail_allocation(n, false);
        cr_assert(vv_pattern_rename("**/a*", "x/**/b*",
            "0123456789/0123456789/0123456789/0123456789/0123456789/"
            "0123456789/a0123456789", &result), "it did match");
        done = !result.failed;
        cr_assert(done || n < 2);
        vv_buffer_clear(&result);
    }
}

TEST(pattern, takes_time_bounded_by_the_product_of_the_sizes)
{
    enum { SIZE = 12000 };
    static char pattern[SIZE + 2], path[SIZE + 1];
    memset(path, 'a', SIZE);
    /* would take 2^6000 steps with backtracking */
    for (int i = 0; i < SIZE; i++)
        pattern[i] = i % 2 ? '*' : 'a';
    pattern[SIZE] = 'b';
    cr_assert_not(vv_pattern_match(pattern, path));
    for (int i = 0; i < SIZE; i++) {
        path[i] = i % 2 ? '/' : 'a';
        pattern[i] = i % 3 == 2 ? '/' : '*';
    }
    memcpy(pattern + SIZE - 4, "/b", 3);
    cr_assert_not(vv_pattern_match(pattern, path));
}
