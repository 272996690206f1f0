/* url.c - finds schemes, users and queries in paths and messages.
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

/* Removes the bytes from `from` to `to`. */
static void url_cut(char *from, const char *to)
{
    memmove(from, to, strlen(to) + 1);
}

/* The end of the user before a host; NULL: there is none. The last '@' before
 * the path counts, as for libcurl. */
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

/* Where the query of a URL in a message ends. */
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
        /* Of a path that was cleaned nothing stands behind the '?'. */
        if (*at == '?' && !strchr(" :'\n", at[1]))
            url_cut(at + 1, end_of_query(at));
    }
}
