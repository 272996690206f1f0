/* pattern.h - Selects paths by the patterns of -I and -X.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_PATTERN_H
#define TOOL_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

enum { MOST_PATTERNS = 64 };

struct pattern_list {
    size_t count;
    struct {
        const char *text; /* borrowed */
        bool include;
    } items[MOST_PATTERNS];
};

/* Returns false if the list is full. */
bool pattern_add(struct pattern_list *list, const char *text, bool include);

/* The patterns of a list that have matched a path. Zeroed: none. */
struct pattern_matches {
    bool matched[MOST_PATTERNS];
};

/* Returns true if the list selects a path: the last matching pattern decides.
 * If none matches, the path is selected unless the first pattern is an
 * include. Notes the patterns that match in `matches`, which can be NULL. */
bool pattern_selects(const struct pattern_list *list, const char *path,
    struct pattern_matches *matches);

/* Returns the first include that has matched no path, or NULL. */
const char *pattern_unmatched(
    const struct pattern_list *list, const struct pattern_matches *matches);

#endif
