/* url.c - Finds schemes, users and queries in paths and messages.
 *
 * SPDX-License-Identifier: MIT
 */
#include "url.h"

#include <string.h>

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_of_scheme(char c)
{
    return is_letter(c) || (c >= '0' && c <= '9') || c == '+' || c == '-' ||
           c == '.';
}

size_t vv_url_scheme(const char *path)
{
    size_t size = 0;
    while (is_of_scheme(path[size]))
        size++;
    return is_letter(*path) && strncmp(path + size, "://", 3) == 0 ? size + 3
                                                                   : 0;
}

static void url_cut(char *from, const char *to)
{
    memmove(from, to, strlen(to) + 1);
}

/* Returns the end of the user part before a host, or NULL if there is none. The
 * last '@' before the path counts, as in libcurl. */
static char *end_of_user(char *host, const char *most)
{
    char *end = host + strcspn(host, "/?#");
    char *user = NULL;
    for (char *at = host; at < end && at < most; at++) {
        if (*at == '@')
            user = at + 1;
    }
    return user;
}

void vv_url_clean(char *path)
{
    size_t scheme = vv_url_scheme(path);
    if (!scheme)
        return;
    char *user = end_of_user(path + scheme, path + strlen(path));
    if (user)
        url_cut(path + scheme, user);
    char *query = path + scheme + strcspn(path + scheme, "?#");
    if (*query)
        strcpy(query, "?");
}

/* Returns the end of the query of a URL in a message. */
static const char *end_of_query(const char *query)
{
    const char *line = query + strcspn(query, "\n");
    const char *colon = strstr(query, ": ");
    return colon && colon < line ? colon : line;
}

void vv_url_clean_message(char *message)
{
    char *at = message;
    while ((at = strstr(at, "://"))) {
        at += 3;
        char *user = end_of_user(at, at + strcspn(at, " \n"));
        if (user)
            url_cut(at, user);
        at += strcspn(at, "? \n");
        /* In a path that was cleaned already, nothing follows the '?'. */
        if (*at == '?' && !strchr(" :'\n", at[1]))
            url_cut(at + 1, end_of_query(at));
    }
}
