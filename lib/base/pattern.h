/* pattern.h - Matches patterns with paths, and renames paths by patterns.
 *
 * A pattern is compared with a path name by name (name_pattern.h). `**` as a
 * whole name matches any number of names, including none. A slot,
 * `m(model/dense/kernel)`, is one name: the pattern `m(model/dense)` is
 * compared with the part before the parentheses, and its parentheses with the
 * path in them. A pattern without parentheses matches a slot only if it ends in
 * a star, which matches the parentheses. Redundant '/' are ignored.
 *
 * These functions compare one path as a text, without allocating memory, in at
 * most the time of one size times the other. automaton.h does this for all
 * paths of a graph.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PATTERN_H
#define VV_PATTERN_H

#include <stdbool.h>

#include "buffer.h"

/* Largest number of wildcards in a rename. */
enum { VV_PATTERN_MAX_WILDCARDS = 32 };

/* Returns true if one of the patterns, separated by '|', matches the path or
 * one of its ancestors. "/" matches everything; NULL, the empty pattern and an
 * empty alternative match nothing. */
bool vv_pattern_match(const char *patterns, const char *path);

/* Returns true if two patterns can be the sides of a rename: the same wildcards
 * in the same order, at most VV_PATTERN_MAX_WILDCARDS, and no '|'. Only stars
 * are wildcards of a rename. */
bool vv_pattern_same_wildcards(const char *a, const char *b);

/* Returns true if the last name of a pattern is a slot. */
bool vv_pattern_is_of_slot(const char *pattern);

/* Renames a path: if `from` matches the whole path, sets `result` to `to` with
 * its wildcards replaced, in order, by the matches of those of `from`. Matches
 * are as short as possible, earlier wildcards first. "" and "/" are the path
 * without names. The result does not begin or end with '/'. Returns false, with
 * an invalid result, if `from` does not match, the wildcards differ, or a name
 * of the result would be empty. Callers must check result->failed too. */
bool vv_pattern_rename(const char *from, const char *to, const char *path,
    struct vv_buffer *result);

#endif
