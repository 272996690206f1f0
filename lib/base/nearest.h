/* nearest.h - Finds similar names, for suggestions in messages.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_NEAREST_H
#define VV_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

/* Longer names are compared only for equality. */
enum { VV_NEAREST_MAX_SIZE = 64 };

/* Returns the Levenshtein distance of `a` and `b`, or bound + 1 if it is more
 * than `bound`. */
size_t vv_edit_distance(
    const char *a, size_t a_size, const char *b, size_t b_size, size_t bound);

/* Returns true if a name is similar enough to be suggested instead of another:
 * few edits relative to the length, or one is a substring of the other with at
 * least three bytes, as "enc" of "encoder". */
bool vv_is_near(const char *a, size_t a_size, const char *b, size_t b_size);

#endif
