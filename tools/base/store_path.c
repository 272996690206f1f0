/* store_path.c - Finds schemes, hosts and queries in paths.
 *
 * SPDX-License-Identifier: MIT
 */
#include "store_path.h"

#include <stdio.h>
#include <string.h>

#include "../../lib/base/path_text.h"

enum { SHOWN_AT_ONCE = 8, SHOWN_SIZE = 4096 };

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

/* Returns a copy that is valid until a few further calls. */
static char *shown_copy(const char *text)
{
    static char shown[SHOWN_AT_ONCE][SHOWN_SIZE];
    static unsigned last;
    char *copy = shown[last++ % SHOWN_AT_ONCE];
    snprintf(copy, SHOWN_SIZE, "%s", text);
    return copy;
}

const char *shown_path(const char *path)
{
    if (!path || !vv_url_scheme(path))
        return path;
    char *shown = shown_copy(path);
    vv_url_clean(shown);
    return shown;
}

const char *shown_text(const char *text)
{
    if (!text || !strstr(text, "://"))
        return text;
    char *shown = shown_copy(text);
    vv_url_clean_message(shown);
    return shown;
}
