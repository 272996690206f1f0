/* name_pattern.c - Matches names with patterns, and computes the literal ends
 * of patterns.
 *
 * SPDX-License-Identifier: MIT
 */
#include "name_pattern.h"

#include <string.h>

#include "checksum.h"
#include "hash_table.h"
#include "name.h"

/* Matches names with backtracking to the last star only. This is sufficient,
 * because everything before it was matched as far to the left as possible. */

/* --- Names of a text ---------------------------------------------------- */

/* Returns the size of the text before the first `stop` that is not in
 * parentheses. */
static size_t size_before(struct vv_text text, char stop)
{
    size_t size = 0, depth = 0;
    for (; size < text.size; size++) {
        char c = text.bytes[size];
        if (c == stop && depth == 0)
            break;
        depth += c == '(';
        depth -= c == ')' && depth > 0;
    }
    return size;
}

bool vv_text_next_name(struct vv_text *rest, struct vv_text *name)
{
    while (rest->size > 0 && *rest->bytes == '/')
        vv_text_skip(rest, 1);
    *name = (struct vv_text){ rest->bytes, size_before(*rest, '/') };
    vv_text_skip(rest, name->size);
    return name->size > 0;
}

bool vv_text_next_pattern(struct vv_text *rest, struct vv_text *pattern)
{
    if (rest->size == 0)
        return false;
    *pattern = (struct vv_text){ rest->bytes, size_before(*rest, '|') };
    vv_text_skip(rest, pattern->size + (pattern->size < rest->size));
    return true;
}

enum vv_name_form vv_name_split(
    struct vv_text name, struct vv_text *base, struct vv_text *inside)
{
    const char *open = memchr(name.bytes, '(', name.size);
    if (!open)
        return memchr(name.bytes, ')', name.size) ? VV_NAME_OF_NONE
                                                  : VV_NAME_OF_EDGE;
    *base = (struct vv_text){ name.bytes, (size_t)(open - name.bytes) };
    *inside = name;
    vv_text_skip(inside, base->size + 1);
    size_t size = size_before(*inside, ')');
    if (size + 1 != inside->size || memchr(base->bytes, ')', base->size))
        return VV_NAME_OF_NONE;
    inside->size = size;
    return VV_NAME_OF_SLOT;
}

/* --- Characters --------------------------------------------------------- */

static int hex_digit(char c)
{
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) % 16 : -1;
}

/* Returns the first byte, and the number of characters that encode it. */
static unsigned byte_at(
    struct vv_text text, enum vv_writing writing, size_t *written)
{
    *written = 1;
    if (writing == VV_IN_PATH && text.bytes[0] == '%' && text.size >= 3) {
        int high = hex_digit(text.bytes[1]), low = hex_digit(text.bytes[2]);
        if (high >= 0 && low >= 0) {
            *written = 3;
            return (unsigned)(high * 16 + low);
        }
    }
    return (unsigned char)text.bytes[0];
}

/* Removes the first character and returns it. */
static unsigned long take_character(
    struct vv_text *text, enum vv_writing writing)
{
    size_t written;
    unsigned long c = byte_at(*text, writing, &written);
    vv_text_skip(text, written);
    if (c < 0xc0)
        return c;
    c &= c >= 0xf0 ? 0x07u : c >= 0xe0 ? 0x0fu : 0x1fu;
    for (int i = 0; i < 3 && text->size > 0; i++) {
        unsigned byte = byte_at(*text, writing, &written);
        if ((byte & 0xc0) != 0x80)
            break;
        c = c << 6 | (byte & 0x3f);
        vv_text_skip(text, written);
    }
    return c + 0x100; /* differs from all single bytes */
}

/* Returns the size of a set from '[' to ']', or 0 if it is not closed. */
static size_t set_size(struct vv_text text)
{
    size_t first = text.size > 1 && text.bytes[1] == '!' ? 2 : 1;
    for (size_t i = first + 1; i < text.size; i++) {
        if (text.bytes[i] == ']')
            return i + 1;
    }
    return 0;
}

/* Returns true if a set, given without its brackets, matches a character. */
static bool set_holds(struct vv_text set, unsigned long c)
{
    bool wanted = set.bytes[0] != '!';
    bool found = false;
    vv_text_skip(&set, !wanted);
    while (set.size > 0) {
        unsigned long low = take_character(&set, VV_IN_PATH);
        unsigned long high = low;
        if (set.size >= 2 && set.bytes[0] == '-') {
            vv_text_skip(&set, 1);
            high = take_character(&set, VV_IN_PATH);
        }
        found |= low <= c && c <= high;
    }
    return found == wanted;
}

/* Removes the first element of a pattern and returns true if it matches this
 * character. */
static bool name_pattern_takes(
    struct vv_text *pattern, unsigned long c, bool only_stars)
{
    size_t size = 0;
    if (!only_stars && pattern->bytes[0] == '?') {
        vv_text_skip(pattern, 1);
        return true;
    }
    if (!only_stars && pattern->bytes[0] == '[')
        size = set_size(*pattern);
    if (size == 0)
        return take_character(pattern, VV_IN_PATH) == c;
    struct vv_text set = { pattern->bytes + 1, size - 2 };
    vv_text_skip(pattern, size);
    return set_holds(set, c);
}

/* --- Names -------------------------------------------------------------- */

size_t vv_name_pattern_stars(struct vv_text pattern)
{
    size_t size = 0;
    while (size < pattern.size && pattern.bytes[size] == '*')
        size++;
    return size;
}

bool vv_name_pattern_is_deep(struct vv_text pattern)
{
    return pattern.size >= 2 && vv_name_pattern_stars(pattern) == pattern.size;
}

size_t vv_name_pattern_star_count(struct vv_text pattern)
{
    size_t count = 0;
    for (size_t i = 0; i < pattern.size; i++)
        count +=
            pattern.bytes[i] == '*' && (i == 0 || pattern.bytes[i - 1] != '*');
    return count;
}

bool vv_name_pattern_ends_in_star(struct vv_text pattern)
{
    return pattern.size > 0 && pattern.bytes[pattern.size - 1] == '*';
}

static bool has_sets(struct vv_text pattern)
{
    return memchr(pattern.bytes, '?', pattern.size) ||
           memchr(pattern.bytes, '[', pattern.size);
}

bool vv_name_pattern_is_literal(struct vv_text pattern)
{
    return !memchr(pattern.bytes, '*', pattern.size) && !has_sets(pattern);
}

void vv_name_pattern_unescape(struct vv_text pattern, struct vv_buffer *name)
{
    while (pattern.size > 0) {
        size_t written;
        vv_buffer_add8(name, (uint8_t)byte_at(pattern, VV_IN_PATH, &written));
        vv_text_skip(&pattern, written);
    }
}

/* Options of a comparison. */
struct comparison {
    enum vv_writing writing;
    bool only_stars;
    struct vv_text *captures; /* the next star; or NULL */
};

static bool name_pattern_match(
    struct vv_text want, struct vv_text name, struct comparison c)
{
    const char *begin = NULL; /* start of the match of the last star */
    struct vv_text after = want, tried = name; /* after the star */
    for (;;) {
        size_t stars = vv_name_pattern_stars(want);
        if (stars > 0) {
            vv_text_skip(&want, stars);
            after = want;
            tried = name;
            if (c.captures && begin)
                c.captures++;
            begin = name.bytes;
            if (c.captures)
                *c.captures = (struct vv_text){ begin, 0 };
            continue;
        }
        if (want.size == 0 && name.size == 0)
            return true;
        if (want.size > 0 && name.size > 0 &&
            name_pattern_takes(
                &want, take_character(&name, c.writing), c.only_stars))
            continue;
        if (!begin || tried.size == 0)
            return false;
        take_character(&tried, c.writing);
        if (c.captures)
            c.captures->size = (size_t)(tried.bytes - begin);
        want = after;
        name = tried;
    }
}

bool vv_name_pattern_match(
    struct vv_text pattern, struct vv_text name, enum vv_writing writing)
{
    struct comparison c = { .writing = writing };
    if (name_pattern_match(pattern, name, c))
        return true;
    c.only_stars = true;
    return has_sets(pattern) && name_pattern_match(pattern, name, c);
}

bool vv_name_pattern_capture(struct vv_text pattern, struct vv_text name,
    enum vv_writing writing, struct vv_text *captures)
{
    if (pattern.size > 0 && vv_name_pattern_stars(pattern) == pattern.size) {
        if (captures)
            *captures = name; /* however long it is */
        return true;
    }
    return name_pattern_match(
        pattern, name, (struct comparison){ writing, true, captures });
}

/* --- Ends ----------------------------------------------------------------- */

/* Computes the ends of patterns, and the keys of ends. */

static uint64_t key_of_ends(struct vv_text begin, struct vv_text end)
{
    uint64_t key = 1;
    if (begin.size)
        key = vv_hash_of(begin.bytes, begin.size);
    if (end.size)
        key = vv_map_mix(key + vv_hash_of(end.bytes, end.size));
    return key;
}

static bool is_wildcard(char c, bool only_stars)
{
    return c == '*' || (!only_stars && (c == '?' || c == '[' || c == ']'));
}

/* Unescapes an end behind the content of `scratch`. Returns its size: 0 if it
 * is not valid UTF-8, because then names with other bytes may match it. */
static size_t unescape_end(struct vv_text end, struct vv_buffer *scratch)
{
    size_t before = scratch->size;
    vv_name_pattern_unescape(end, scratch);
    const char *bytes = vv_buffer_string(scratch);
    size_t size = scratch->failed ? 0 : scratch->size - before;
    return size && vv_utf8_is_valid(bytes + before, size) ? size : 0;
}

void vv_name_ends_of(struct vv_text pattern, bool only_stars,
    struct vv_buffer *scratch, struct vv_name_ends *ends, uint64_t *key)
{
    size_t first = 0, behind = pattern.size;
    while (
        first < pattern.size && !is_wildcard(pattern.bytes[first], only_stars))
        first++;
    while (
        behind > first && !is_wildcard(pattern.bytes[behind - 1], only_stars))
        behind--;
    bool is_literal = first == pattern.size;
    scratch->size = 0;
    size_t begin =
        unescape_end((struct vv_text){ pattern.bytes, first }, scratch);
    size_t at = scratch->size;
    size_t end = is_literal
                     ? 0
                     : unescape_end((struct vv_text){ pattern.bytes + behind,
                                        pattern.size - behind },
                           scratch);
    const char *bytes = vv_buffer_string(scratch);
    *key = key_of_ends(
        (struct vv_text){ bytes, begin }, (struct vv_text){ bytes + at, end });
    *ends = (struct vv_name_ends){ (uint32_t)begin, (uint32_t)end };
    if (is_literal && begin)
        ends->begin = UINT32_MAX;
}

bool vv_name_ends_key(
    struct vv_text name, struct vv_name_ends ends, uint64_t *key)
{
    if (ends.begin == UINT32_MAX) {
        *key = key_of_ends(name, (struct vv_text){ NULL, 0 });
        return true;
    }
    if ((size_t)ends.begin + ends.end > name.size)
        return false;
    *key = key_of_ends((struct vv_text){ name.bytes, ends.begin },
        (struct vv_text){ name.bytes + name.size - ends.end, ends.end });
    return true;
}
