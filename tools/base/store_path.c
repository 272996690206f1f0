/* store_path.c - schemes, hosts and queries.
 *
 * SPDX-License-Identifier: MIT
 */
#include "store_path.h"

#include <stdio.h>
#include <string.h>

enum { SHOWN_AT_ONCE = 4, SHOWN_SIZE = 4096 };

bool is_in_store(const char *path)
{
    return strncmp(path, "s3://", 5) == 0 ||
           strncmp(path, "https://", 8) == 0 ||
           strncmp(path, "http://", 7) == 0;
}

bool is_on_web(const char *path)
{
    return is_in_store(path) && strncmp(path, "s3://", 5) != 0;
}

const char *behind_host(const char *path)
{
    if (!is_in_store(path))
        return path;
    path = strstr(path, "://") + 3;
    return path + strcspn(path, "/");
}

const char *shown_path(const char *path)
{
    static char shown[SHOWN_AT_ONCE][SHOWN_SIZE];
    static unsigned last;
    const char *query = path && is_in_store(path) ? strchr(path, '?') : NULL;
    if (!query)
        return path;
    char *text = shown[last++ % SHOWN_AT_ONCE];
    snprintf(text, SHOWN_SIZE, "%.*s", (int)(query + 1 - path), path);
    return text;
}
