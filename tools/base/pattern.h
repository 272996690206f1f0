/* pattern.h - which paths an -I or -X means.
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

/* False where there is no room for it. */
bool pattern_add(struct pattern_list *list, const char *text, bool include);

/* Whether the list selects a path: the last pattern that matches decides;
 * before the first, everything is selected unless the first is an include. */
bool pattern_selects(const struct pattern_list *list, const char *path);

#endif
