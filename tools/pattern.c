/* pattern.c - globs over paths.
 *
 * SPDX-License-Identifier: MIT
 */
#include "pattern.h"

#include <string.h>

void pattern_add(struct pattern_list *list, const char *text, bool include)
{
    if (list->count == MOST_PATTERNS) {
        list->overflow = true;
        return;
    }
    list->items[list->count].text = text + strspn(text, "/");
    list->items[list->count].include = include;
    list->count++;
}

/* Steps over "[...]"; says whether it holds the byte. A '[' that nothing
 * closes stands for itself. */
static bool match_set(const char **pattern, char byte)
{
    const char *p = *pattern + 1;
    bool wanted = *p != '!';
    p += !wanted;
    const char *end = strchr(*p ? p + 1 : p, ']');
    if (!end) {
        ++*pattern;
        return byte == '[';
    }
    bool found = false;
    for (; p < end; p++) {
        if (p[1] == '-' && p + 2 < end) {
            found |= (unsigned char)byte >= (unsigned char)p[0] &&
                (unsigned char)byte <= (unsigned char)p[2];
            p += 2;
        } else {
            found |= byte == *p;
        }
    }
    *pattern = end + 1;
    return byte != '\0' && byte != '/' && found == wanted;
}

static bool match_one(const char **pattern, char byte)
{
    if (**pattern == '[')
        return match_set(pattern, byte);
    char wanted = *(*pattern)++;
    return wanted == '?' ? byte != '\0' && byte != '/' : byte == wanted;
}

/* Any number of names: tried at each one. */
static bool match_names(const char *pattern, const char *path)
{
    pattern += strspn(pattern, "*");
    if (*pattern == '\0')
        return true;
    pattern += *pattern == '/';
    for (;;) {
        if (pattern_matches(pattern, path))
            return true;
        path = strchr(path, '/');
        if (!path)
            return false;
        path++;
    }
}

bool pattern_matches(const char *pattern, const char *path)
{
    const char *star = NULL; /* behind the last '*' of this name */
    const char *retry = NULL;
    for (;;) {
        if (pattern[0] == '*' && pattern[1] == '*')
            return match_names(pattern, path);
        if (*pattern == '*') {
            star = ++pattern;
            retry = path;
            continue;
        }
        if (pattern[strspn(pattern, "/")] == '\0' &&
            (*path == '\0' || *path == '/'))
            return true;
        const char *next = pattern;
        if (*pattern != '\0' && *path != '\0' && match_one(&next, *path)) {
            pattern = next;
            path++;
            continue;
        }
        if (!star || *retry == '\0' || *retry == '/')
            return false;
        pattern = star;
        path = ++retry;
    }
}

bool pattern_selects(const struct pattern_list *list, const char *path)
{
    bool selected = list->count == 0 || !list->items[0].include;
    for (size_t i = 0; i < list->count; i++) {
        const char *text = list->items[i].text;
        if (*text == '\0' || pattern_matches(text, path))
            selected = list->items[i].include;
    }
    return selected;
}
