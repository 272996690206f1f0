/* pattern.c - matching with one step back: only the last wildcard of its kind
 * is ever tried again, which is enough, for what comes before it matched as far
 * to the left as it can.
 *
 * SPDX-License-Identifier: MIT
 */
#include "pattern.h"

#include <string.h>

struct slice {
    const char *text;
    size_t size;
};

/* What each wildcard matched, by its number in the pattern; that of a `**` may
 * have slashes around it. */
struct captures {
    struct slice items[VV_PATTERN_MAX_WILDCARDS];
};

static void capture(struct captures *captures, size_t number, const char *begin,
    const char *end)
{
    if (captures && number < VV_PATTERN_MAX_WILDCARDS)
        captures->items[number] =
            (struct slice){ begin, (size_t)(end - begin) };
}

static void skip(struct slice *rest, size_t size)
{
    rest->text += size;
    rest->size -= size;
}

/* Takes the first name off; false if there is none. */
static bool next_name(struct slice *rest, struct slice *name)
{
    while (rest->size > 0 && *rest->text == '/')
        skip(rest, 1);
    size_t size = 0, depth = 0;
    for (; size < rest->size; size++) {
        char c = rest->text[size];
        if (c == '/' && depth == 0)
            break;
        depth += c == '(';
        depth -= c == ')' && depth > 0;
    }
    *name = (struct slice){ rest->text, size };
    skip(rest, size);
    return size > 0;
}

static size_t star_run(struct slice text)
{
    size_t size = 0;
    while (size < text.size && text.text[size] == '*')
        size++;
    return size;
}

static bool is_deep(struct slice name)
{
    return name.size >= 2 && star_run(name) == name.size;
}

static size_t wildcard_count(struct slice name)
{
    size_t count = 0;
    for (size_t i = 0; i < name.size; i++)
        count += name.text[i] == '*' && (i == 0 || name.text[i - 1] != '*');
    return count;
}

/* Whether one name of a pattern matches one name of a path. Its wildcards have
 * the numbers from `number` on. */
static bool match_name(struct slice want, struct slice name,
    struct captures *captures, size_t number)
{
    const char *begin = NULL; /* where what the last star matched begins */
    struct slice after = want, tried = name; /* behind the star; behind that */
    number--;
    for (;;) {
        size_t stars = star_run(want);
        if (stars > 0) {
            skip(&want, stars);
            after = want;
            tried = name;
            begin = name.text;
            capture(captures, ++number, begin, begin);
        } else if (want.size == 0 && name.size == 0) {
            return true;
        } else if (want.size > 0 && name.size > 0 && *want.text == *name.text) {
            skip(&want, 1);
            skip(&name, 1);
        } else if (!begin || tried.size == 0) {
            return false;
        } else {
            skip(&tried, 1);
            capture(captures, number, begin, tried.text);
            want = after;
            name = tried;
        }
    }
}

/* Where a match stands, and where to go back to. */
struct walk {
    struct slice pattern;
    struct slice path;
    size_t number; /* of the next wildcard */
};

/* The last `**` takes in one name more. */
static bool retry(struct walk *walk, struct walk *last, const char *begin,
    struct captures *captures)
{
    struct slice name;
    if (!begin || !next_name(&last->path, &name))
        return false;
    capture(captures, last->number - 1, begin, last->path.text);
    *walk = *last;
    return true;
}

/* `whole`: the path itself must match, else something it is below will do. */
static bool match(struct slice pattern, struct slice path, bool whole,
    struct captures *captures)
{
    struct walk walk = { .pattern = pattern, .path = path };
    struct walk last = walk; /* behind the last `**` */
    const char *begin = NULL;
    struct slice want, name;
    for (;;) {
        if (!next_name(&walk.pattern, &want)) {
            if (!whole || !next_name(&walk.path, &name))
                return true;
            if (!retry(&walk, &last, begin, captures))
                return false;
        } else if (is_deep(want)) {
            begin = walk.path.text;
            capture(captures, walk.number++, begin, begin);
            last = walk;
        } else if (!next_name(&walk.path, &name)) {
            return false;
        } else if (match_name(want, name, captures, walk.number)) {
            walk.number += wildcard_count(want);
        } else if (!retry(&walk, &last, begin, captures)) {
            return false;
        }
    }
}

static struct slice slice_of(const char *text)
{
    return (struct slice){ text, strlen(text) };
}

bool vv_pattern_match(const char *patterns, const char *path)
{
    if (!patterns)
        return false;
    struct slice whole = slice_of(path);
    while (*patterns) {
        size_t size = strcspn(patterns, "|");
        if (size > 0 &&
            match((struct slice){ patterns, size }, whole, false, NULL))
            return true;
        patterns += size + (patterns[size] == '|');
    }
    return false;
}

/* The kind of the next wildcard, which is taken off: 1 for a star, 2 for `**`,
 * 0 if there is none left. `left` are those of `name` that were not given. */
static int next_wildcard(struct slice *rest, size_t *left)
{
    struct slice name;
    while (*left == 0) {
        if (!next_name(rest, &name))
            return 0;
        if (is_deep(name))
            return 2;
        *left = wildcard_count(name);
    }
    --*left;
    return 1;
}

bool vv_pattern_same_wildcards(const char *a, const char *b)
{
    struct slice rest_a = slice_of(a), rest_b = slice_of(b);
    size_t left_a = 0, left_b = 0;
    if (strchr(a, '|') || strchr(b, '|'))
        return false;
    for (int count = 0;; count++) {
        int kind = next_wildcard(&rest_a, &left_a);
        if (kind != next_wildcard(&rest_b, &left_b))
            return false;
        if (kind == 0)
            return count <= VV_PATTERN_MAX_WILDCARDS;
    }
}

static void add_slash(struct vv_buffer *result)
{
    if (result->size > 0)
        vv_buffer_add8(result, '/');
}

/* Adds what a `**` matched, without slashes too many. */
static void add_names(struct vv_buffer *result, struct slice names)
{
    struct slice name;
    while (next_name(&names, &name)) {
        add_slash(result);
        vv_buffer_add(result, name.text, name.size);
    }
}

/* Adds one name with its stars replaced; false if it is empty then. */
static bool add_name(
    struct vv_buffer *result, struct slice name, const struct slice *matched)
{
    add_slash(result);
    size_t before = result->size;
    while (name.size > 0) {
        size_t stars = star_run(name);
        if (stars > 0) {
            vv_buffer_add(result, matched->text, matched->size);
            matched++;
        } else {
            vv_buffer_add(result, name.text, 1);
        }
        skip(&name, stars ? stars : 1);
    }
    return result->size > before || result->failed;
}

bool vv_pattern_rename(const char *from, const char *to, const char *path,
    struct vv_buffer *result)
{
    struct captures captures;
    if (!vv_pattern_same_wildcards(from, to) ||
        !match(slice_of(from), slice_of(path), true, &captures))
        return false;
    struct slice rest = slice_of(to), name;
    size_t number = 0;
    result->size = 0;
    while (next_name(&rest, &name)) {
        if (is_deep(name))
            add_names(result, captures.items[number]);
        else if (!add_name(result, name, captures.items + number))
            return false;
        number += wildcard_count(name);
    }
    return true;
}
