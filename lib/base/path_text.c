/* path_text.c - Parses paths as text: the number in a file name, and the scheme
 * and the secrets of a URL.
 *
 * SPDX-License-Identifier: MIT
 */
#include "path_text.h"

#include <string.h>

/* --- Numbered names ------------------------------------------------------- */

/* Parses numbers, and the names that end in one. */

bool vv_parse_decimal(const char *text, size_t size, uint64_t *value)
{
    if (size == 0 || (text[0] == '0' && size > 1))
        return false;
    uint64_t sum = 0;
    for (size_t i = 0; i < size; i++) {
        if (text[i] < '0' || text[i] > '9' ||
            __builtin_mul_overflow(sum, 10u, &sum) ||
            __builtin_add_overflow(sum, (unsigned)(text[i] - '0'), &sum))
            return false;
    }
    *value = sum;
    return true;
}

bool vv_parse_padded(
    const char *text, size_t size, uint64_t *value, bool *is_padded)
{
    size_t zeros = 0;
    while (size == VV_PADDED_DIGITS && zeros < size - 1 && text[zeros] == '0')
        zeros++;
    *is_padded = zeros > 0;
    return vv_parse_decimal(text + zeros, size - zeros, value);
}

bool vv_numbered_name_parse(const char *name, char separator,
    const char *ending, struct vv_numbered_name *parsed)
{
    size_t size = strlen(name), behind = strlen(ending);
    if (size < behind || strcmp(name + size - behind, ending) != 0)
        return false;
    size -= behind;
    size_t begin = size;
    while (begin > 0 && name[begin - 1] >= '0' && name[begin - 1] <= '9')
        begin--;
    if (begin == 0 || name[begin - 1] != separator)
        return false;
    parsed->stem_size = begin - 1;
    return vv_parse_padded(
        name + begin, size - begin, &parsed->number, &parsed->is_padded);
}

/* --- URLs ----------------------------------------------------------------- */

/* Finds schemes, users and queries in paths and messages. */

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
