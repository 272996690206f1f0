/* name_pattern.h - one name of a path against one name of a pattern.
 *
 * `*` stands for any run of characters, `?` for one, `[a-z]` for one of a set,
 * `[!a-z]` for one that is not in it; a '[' that nothing closes stands for
 * itself. Names may hold `?` and `[` too, and paths are written with them, so
 * that a pattern is also taken as if it had no such wildcards: what a path
 * looks like is a pattern for it. %3F, %5B and %5D stand for nothing else.
 * Everything that paths escape (name.h) is escaped in a pattern as well.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_NAME_PATTERN_H
#define VV_NAME_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

#include "buffer.h"

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

/* Takes the first name off a path or pattern, with the '/' before it; false if
 * there is none. What stands in parentheses is a part of its name. */
bool vv_text_next_name(struct vv_text *rest, struct vv_text *name);

/* Takes the first of several patterns off, which '|' separates; false at the
 * end. It may be empty. */
bool vv_text_next_pattern(struct vv_text *rest, struct vv_text *pattern);

/* How a name is written. */
enum vv_writing {
    VV_PLAIN,  /* its bytes, as an edge has them */
    VV_IN_PATH /* escaped */
};

/* Whether a pattern stands for a name; neither has parentheses. */
bool vv_name_pattern_match(
    struct vv_text pattern, struct vv_text name, enum vv_writing writing);

/* The same for renames, in which only stars are wildcards.
 * What each matched, as short as possible, the first before the next, is
 * written to `captures`, unless that is NULL. */
bool vv_name_pattern_capture(struct vv_text pattern, struct vv_text name,
    enum vv_writing writing, struct vv_text *captures);

/* Whether it stands for one name only. */
bool vv_name_pattern_is_literal(struct vv_text pattern);

/* Appends the bytes of that name. */
void vv_name_pattern_unescape(struct vv_text pattern, struct vv_buffer *name);

/* How many stars the text begins with; two and more in a name are one. */
size_t vv_name_pattern_stars(struct vv_text pattern);

/* `**` as a whole name. */
bool vv_name_pattern_is_deep(struct vv_text pattern);

/* How many runs of stars it has. */
size_t vv_name_pattern_star_count(struct vv_text pattern);

bool vv_name_pattern_ends_in_star(struct vv_text pattern);

/* What a name is by its parentheses. */
enum vv_name_form {
    VV_NAME_OF_EDGE, /* none */
    VV_NAME_OF_SLOT, /* `base(inside)` */
    VV_NAME_OF_NONE  /* others: no name is like that */
};

enum vv_name_form vv_name_split(
    struct vv_text name, struct vv_text *base, struct vv_text *inside);

/* Slots of slots of slots are patterns only so far. */
enum { VV_PATTERN_MAX_DEPTH = 16 };

#endif
