/* pattern.h - patterns over paths, and renames by pattern.
 *
 * A pattern is compared with a path name by name. `**` as a whole name stands
 * for any number of names, none included; `*` stands for any run of bytes
 * within one name, and so for one name where it is all of it. (Two and more
 * stars inside a name are one.) A slot, `m(model/dense/kernel)`, is one name,
 * slashes and all. A '/' too many is ignored, at the beginning as elsewhere.
 * Bytes are compared as they are: a path is always written escaped, and so must
 * a pattern be.
 *
 * Nothing is allocated, and the time is at most that of one size times the
 * other.
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
 * same order, not more than VV_PATTERN_MAX_WILDCARDS, and no '|'. */
bool vv_pattern_same_wildcards(const char *a, const char *b);

/* If `from` matches the path itself, `to` replaces the content of `result`, its
 * wildcards in order by what those of `from` matched, each as short as
 * possible, the first before the next. "" and "/" are the path of no names. The
 * result has no '/' at its ends. False, and the content is not to be used, when
 * `from` does not match, the two have not the same wildcards, or a name of the
 * result would be empty. Look at result->failed as well. */
bool vv_pattern_rename(const char *from, const char *to, const char *path,
    struct vv_buffer *result);

#endif
