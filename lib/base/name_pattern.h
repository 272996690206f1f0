/* name_pattern.h - Patterns over one name, and their literal ends as keys of
 * hash tables.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_NAME_PATTERN_H
#define VV_NAME_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

#include "buffer.h"

/* Matches one name of a path with one name of a pattern.
 *
 * `*` matches any run of characters, `?` one character, `[a-z]` one of a set
 * and `[!a-z]` one that is not in it; an unclosed '[' matches itself. Names can
 * contain `?` and `[` too, and paths do not escape them. So a pattern is also
 * tried without these wildcards: every path is a pattern that matches itself.
 * %3F, %5B and %5D match only these characters. All characters that paths
 * escape (name.h) are escaped in patterns as well. */

struct vv_text {
    /* to fill in */
    const char *bytes;
    size_t size;
};

static inline void vv_text_skip(struct vv_text *text, size_t size)
{
    text->bytes += size;
    text->size -= size;
}

/* Takes the first name and the '/' before it from a path or pattern. Returns
 * false if there is none. Parentheses with their contents are part of the
 * name. */
bool vv_text_next_name(struct vv_text *rest, struct vv_text *name);

/* Takes the first of several patterns separated by '|'; it can be empty.
 * Returns false at the end. */
bool vv_text_next_pattern(struct vv_text *rest, struct vv_text *pattern);

/* The form of a name. */
enum vv_writing {
    VV_PLAIN,  /* unescaped bytes, as an edge contains them */
    VV_IN_PATH /* escaped as in a path */
};

/* Returns true if a pattern matches a name. Both must be without
 * parentheses. */
bool vv_name_pattern_match(
    struct vv_text pattern, struct vv_text name, enum vv_writing writing);

/* Like vv_name_pattern_match, for renames, in which only stars are wildcards.
 * Writes the match of each star to `captures` unless that is NULL. Matches are
 * as short as possible, earlier stars first. */
bool vv_name_pattern_capture(struct vv_text pattern, struct vv_text name,
    enum vv_writing writing, struct vv_text *captures);

/* Returns true if the pattern matches only one name. */
bool vv_name_pattern_is_literal(struct vv_text pattern);

/* Appends the bytes of that name. */
void vv_name_pattern_unescape(struct vv_text pattern, struct vv_buffer *name);

/* Returns the number of stars at the start of the text. Several stars in a name
 * are equivalent to one. */
size_t vv_name_pattern_stars(struct vv_text pattern);

/* Returns true for `**` as a whole name. */
bool vv_name_pattern_is_deep(struct vv_text pattern);

/* Returns the number of runs of stars. */
size_t vv_name_pattern_star_count(struct vv_text pattern);

bool vv_name_pattern_ends_in_star(struct vv_text pattern);

/* The kind of a name according to its parentheses. */
enum vv_name_form {
    VV_NAME_OF_EDGE, /* without parentheses */
    VV_NAME_OF_SLOT, /* `base(inside)` */
    VV_NAME_OF_NONE  /* any other form; no name has it */
};

enum vv_name_form vv_name_split(
    struct vv_text name, struct vv_text *base, struct vv_text *inside);

/* The deepest nesting of slots in patterns. */
enum { VV_PATTERN_MAX_DEPTH = 16 };

/* --- Ends ----------------------------------------------------------------- */

/* The literal bytes before the first and after the last wildcard of a name
 * pattern, for hash tables of patterns.
 *
 * Patterns with ends of the same sizes are in one table, by a key of those
 * bytes. The key of the same bytes of a name finds all patterns of the table
 * that may match the name. */

struct vv_name_ends {
    uint32_t begin; /* bytes; UINT32_MAX: the pattern is literal, and `end` is 0
                     */
    uint32_t end;
};

/* Sets *ends to the ends of a pattern of one name, unescaped, and *key to their
 * key. If `only_stars` is true, `?` and `[` are no wildcards. `scratch` fails
 * if out of memory. */
void vv_name_ends_of(struct vv_text pattern, bool only_stars,
    struct vv_buffer *scratch, struct vv_name_ends *ends, uint64_t *key);

/* Sets *key to the key of a name. Returns false if the name is too short for
 * the ends. */
bool vv_name_ends_key(
    struct vv_text name, struct vv_name_ends ends, uint64_t *key);

#endif
