/* pattern.c - Matches paths with backtracking to the last `**` only. This is
 * sufficient, because everything before it was matched as far to the left as
 * possible.
 *
 * SPDX-License-Identifier: MIT
 */
#include "pattern.h"

#include <string.h>

#include "name_pattern.h"

/* Options of a comparison. */
struct comparison {
    /* the whole path must match; otherwise an ancestor is sufficient */
    bool whole;
    unsigned depth; /* nesting of parentheses */
    /* The match of each wildcard by number. That of a `**` can begin or end
     * with slashes. NULL for patterns, which have further wildcards. */
    struct vv_text *captures;
};

static void capture(const struct comparison *c, size_t number,
    const char *begin, const char *end)
{
    if (c->captures && number < VV_PATTERN_MAX_WILDCARDS)
        c->captures[number] = (struct vv_text){ begin, (size_t)(end - begin) };
}

static size_t wildcard_count(struct vv_text pattern)
{
    struct vv_text name, base, inside;
    size_t count = 0;
    while (vv_text_next_name(&pattern, &name)) {
        bool is_slot = vv_name_split(name, &base, &inside) == VV_NAME_OF_SLOT;
        count += vv_name_pattern_star_count(is_slot ? base : name);
        for (; is_slot; is_slot = false)
            count += wildcard_count(inside);
    }
    return count;
}

static bool match_base(const struct comparison *c, struct vv_text want,
    struct vv_text name, size_t number)
{
    return c->captures ? vv_name_pattern_capture(
                             want, name, VV_IN_PATH, c->captures + number)
                       : vv_name_pattern_match(want, name, VV_IN_PATH);
}

static bool pattern_match(const struct comparison *c, struct vv_text pattern,
    struct vv_text path, size_t number);

static bool match_inside(const struct comparison *c, struct vv_text patterns,
    struct vv_text path, size_t number)
{
    struct comparison below = *c;
    struct vv_text pattern;
    if (++below.depth > VV_PATTERN_MAX_DEPTH)
        return false;
    while (vv_text_next_pattern(&patterns, &pattern)) {
        if (pattern.size > 0 && pattern_match(&below, pattern, path, number))
            return true;
    }
    return false;
}

/* Returns true if one name of a pattern matches one name of a path. Its
 * wildcards are numbered from `number` on. */
static bool match_name(const struct comparison *c, struct vv_text want,
    struct vv_text name, size_t number)
{
    struct vv_text base = name, inside, want_base, want_inside;
    enum vv_name_form form = vv_name_split(name, &base, &inside);
    enum vv_name_form wanted = vv_name_split(want, &want_base, &want_inside);
    if (form == VV_NAME_OF_NONE || wanted == VV_NAME_OF_NONE)
        return false;
    if (form == VV_NAME_OF_EDGE)
        return wanted == form && match_base(c, want, name, number);
    if (wanted == VV_NAME_OF_SLOT)
        return match_base(c, want_base, base, number) &&
               match_inside(c, want_inside, inside,
                   number + vv_name_pattern_star_count(want_base));
    if (!vv_name_pattern_ends_in_star(want) ||
        !match_base(c, want, base, number))
        return false;
    size_t last = number + vv_name_pattern_star_count(want) - 1;
    if (c->captures)
        capture(c, last, c->captures[last].bytes, name.bytes + name.size);
    return true;
}

/* State of a match, and of the position to backtrack to. */
struct walk {
    struct vv_text pattern;
    struct vv_text path;
    size_t number; /* number of the next wildcard */
};

/* Backtracks: the last `**` matches one more name. */
static bool retry(const struct comparison *c, struct walk *walk,
    struct walk *last, const char *begin)
{
    struct vv_text name;
    if (!begin || !vv_text_next_name(&last->path, &name))
        return false;
    capture(c, last->number - 1, begin, last->path.bytes);
    *walk = *last;
    return true;
}

static bool pattern_match(const struct comparison *c, struct vv_text pattern,
    struct vv_text path, size_t number)
{
    struct walk walk = { pattern, path, number };
    struct walk last = walk; /* after the last `**` */
    const char *begin = NULL;
    struct vv_text want, name;
    for (;;) {
        if (!vv_text_next_name(&walk.pattern, &want)) {
            if (!c->whole || !vv_text_next_name(&walk.path, &name))
                return true;
            if (!retry(c, &walk, &last, begin))
                return false;
        } else if (vv_name_pattern_is_deep(want)) {
            begin = walk.path.bytes;
            capture(c, walk.number++, begin, begin);
            last = walk;
        } else if (!vv_text_next_name(&walk.path, &name)) {
            return false;
        } else if (match_name(c, want, name, walk.number)) {
            walk.number += wildcard_count(want);
        } else if (!retry(c, &walk, &last, begin)) {
            return false;
        }
    }
}

static struct vv_text pattern_text_of(const char *text)
{
    return (struct vv_text){ text, strlen(text) };
}

bool vv_pattern_match(const char *patterns, const char *path)
{
    struct comparison c = { .whole = false };
    if (!patterns)
        return false;
    return match_inside(
        &c, pattern_text_of(patterns), pattern_text_of(path), 0);
}

/* --- Renames ------------------------------------------------------------ */

/* Lists the kinds of the wildcards in order: 1 for a star, 2 for `**`. Returns
 * false if there are too many. */
static bool list_wildcards(
    struct vv_text pattern, unsigned depth, char *kinds, size_t *count)
{
    struct vv_text name, base, inside;
    while (vv_text_next_name(&pattern, &name)) {
        bool is_slot = vv_name_split(name, &base, &inside) == VV_NAME_OF_SLOT;
        bool is_deep = vv_name_pattern_is_deep(name);
        size_t stars = vv_name_pattern_star_count(is_slot ? base : name);
        if (stars > VV_PATTERN_MAX_WILDCARDS - *count)
            return false;
        memset(kinds + *count, is_deep ? 2 : 1, stars);
        *count += stars;
        if (is_slot && (depth == VV_PATTERN_MAX_DEPTH ||
                           !list_wildcards(inside, depth + 1, kinds, count)))
            return false;
    }
    return true;
}

bool vv_pattern_same_wildcards(const char *a, const char *b)
{
    char kinds_a[VV_PATTERN_MAX_WILDCARDS], kinds_b[VV_PATTERN_MAX_WILDCARDS];
    size_t count_a = 0, count_b = 0;
    return !strchr(a, '|') && !strchr(b, '|') &&
           list_wildcards(pattern_text_of(a), 1, kinds_a, &count_a) &&
           list_wildcards(pattern_text_of(b), 1, kinds_b, &count_b) &&
           count_a == count_b && memcmp(kinds_a, kinds_b, count_a) == 0;
}

bool vv_pattern_is_of_slot(const char *pattern)
{
    struct vv_text rest = pattern_text_of(pattern), name, base, inside;
    enum vv_name_form form = VV_NAME_OF_EDGE;
    while (vv_text_next_name(&rest, &name))
        form = vv_name_split(name, &base, &inside);
    return form == VV_NAME_OF_SLOT;
}

static void add_slash(struct vv_buffer *result, size_t begin)
{
    if (result->size > begin)
        vv_buffer_add8(result, '/');
}

/* Adds the match of a `**` without redundant slashes. */
static void pattern_add_names(
    struct vv_buffer *result, size_t begin, struct vv_text names)
{
    struct vv_text name;
    while (vv_text_next_name(&names, &name)) {
        add_slash(result, begin);
        vv_buffer_add(result, name.bytes, name.size);
    }
}

/* Adds one name with its stars replaced. Returns false if the result is
 * empty. */
static bool pattern_add_name(struct vv_buffer *result, struct vv_text name,
    const struct vv_text **matched)
{
    size_t before = result->size;
    while (name.size > 0) {
        size_t stars = vv_name_pattern_stars(name);
        if (stars > 0) {
            vv_buffer_add(result, (*matched)->bytes, (*matched)->size);
            ++*matched;
        } else {
            vv_buffer_add(result, name.bytes, 1);
        }
        vv_text_skip(&name, stars ? stars : 1);
    }
    return result->size > before || result->failed;
}

/* Adds a path with its wildcards replaced. */
static bool pattern_add_path(
    struct vv_buffer *result, struct vv_text to, const struct vv_text **matched)
{
    struct vv_text name, base, inside;
    size_t begin = result->size;
    bool done = true;
    while (done && vv_text_next_name(&to, &name)) {
        if (vv_name_pattern_is_deep(name)) {
            pattern_add_names(result, begin, *(*matched)++);
            continue;
        }
        add_slash(result, begin);
        if (vv_name_split(name, &base, &inside) != VV_NAME_OF_SLOT) {
            done = pattern_add_name(result, name, matched);
            continue;
        }
        done = pattern_add_name(result, base, matched);
        vv_buffer_add8(result, '(');
        done = done && pattern_add_path(result, inside, matched);
        vv_buffer_add8(result, ')');
    }
    return done;
}

bool vv_pattern_rename(const char *from, const char *to, const char *path,
    struct vv_buffer *result)
{
    struct vv_text captures[VV_PATTERN_MAX_WILDCARDS + 1];
    const struct vv_text *matched = captures;
    struct comparison c = { .whole = true, .captures = captures };
    if (!vv_pattern_same_wildcards(from, to) ||
        !pattern_match(&c, pattern_text_of(from), pattern_text_of(path), 0))
        return false;
    result->size = 0;
    return pattern_add_path(result, pattern_text_of(to), &matched);
}
