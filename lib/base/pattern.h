/* pattern.h - patterns over paths, and renames by pattern.
 *
 * A pattern is compared with a path name by name (name_pattern.h). `**` as a
 * whole name stands for any number of names, none included. A slot,
 * `m(model/dense/kernel)`, is one name: the pattern `m(model/dense)` is
 * compared with what is before the parentheses, and with what is in them as
 * with any path; a pattern without parentheses stands for a slot only if a star
 * at its end can stand for them. A '/' too many is ignored, at the beginning as
 * elsewhere.
 *
 * Here one path is compared, as a text, without allocating anything, in at most
 * the time of one size times the other. automaton.h has the same for all paths
 * of a graph.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PATTERN_H
#define VV_PATTERN_H

#include <stdbool.h>

#include "buffer.h"

/* The most wildcards that a rename may have. */
enum { VV_PATTERN_MAX_WILDCARDS = 32 };

/* Whether one of the patterns, separated by '|', matches the path or something
 * that the path is below. "/" matches everything; NULL, the empty pattern and
 * an empty alternative match nothing. */
bool vv_pattern_match(const char *patterns, const char *path);

/* Whether two patterns can be the sides of a rename: the same wildcards in the
 * same order, not more than VV_PATTERN_MAX_WILDCARDS, and no '|'. Only stars
 * are wildcards of a rename. */
bool vv_pattern_same_wildcards(const char *a, const char *b);

/* Whether the last name of a pattern is a slot. */
bool vv_pattern_is_of_slot(const char *pattern);

/* If `from` matches the path itself, `to` replaces the content of `result`, its
 * wildcards in order by what those of `from` matched, each as short as
 * possible, the first before the next. "" and "/" are the path of no names. The
 * result has no '/' at its ends. False, and the content is not to be used, when
 * `from` does not match, the two have not the same wildcards, or a name of the
 * result would be empty. Look at result->failed as well. */
bool vv_pattern_rename(const char *from, const char *to, const char *path,
    struct vv_buffer *result);

#endif
