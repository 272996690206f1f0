/* pattern.c - Implements lists of patterns in the order in which they were
 * given.
 *
 * SPDX-License-Identifier: MIT
 */
#include "pattern.h"

#include <string.h>

#include <varve/structure.h>

bool pattern_add(struct pattern_list *list, const char *text, bool include)
{
    if (list->count == MOST_PATTERNS)
        return false;
    list->items[list->count].text = text + strspn(text, "/");
    list->items[list->count].include = include;
    list->count++;
    return true;
}

bool pattern_selects(const struct pattern_list *list, const char *path,
    struct pattern_matches *matches)
{
    bool selected = list->count == 0 || !list->items[0].include;
    for (size_t i = 0; i < list->count; i++) {
        const char *text = list->items[i].text;
        if (*text != '\0' && !varve_path_matches(text, path))
            continue;
        selected = list->items[i].include;
        if (matches)
            matches->matched[i] = true;
    }
    return selected;
}

const char *pattern_unmatched(
    const struct pattern_list *list, const struct pattern_matches *matches)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].include && !matches->matched[i])
            return list->items[i].text;
    }
    return NULL;
}
