/* remote_words.c - one line for each thread.
 *
 * SPDX-License-Identifier: MIT
 */
#include "remote_words.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "remote_place.h"

static _Thread_local struct {
    int number;
    char text[400];
} last;

int vv_remote_fail(int number, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(last.text, sizeof last.text, format, arguments);
    va_end(arguments);
    last.number = number;
    return -number;
}

const char *vv_remote_reason(int number, const char *path)
{
    bool is_it =
        vv_remote_scheme_of(path) != VV_REMOTE_NONE && number == last.number;
    last.number = 0;
    return is_it ? last.text : NULL;
}

/* Puts `text` in place of the bytes from `from` to `to`, which are more. */
static char *put(char *from, const char *to, const char *text)
{
    size_t size = strlen(text);
    memcpy(from, text, size);
    memmove(from + size, to, strlen(to) + 1);
    return from + size;
}

/* A path goes on to a space, or to what a message says of it. */
static size_t size_of_path(const char *path)
{
    size_t size = strcspn(path, " \n\"'");
    return size && path[size - 1] == ':' ? size - 1 : size;
}

void vv_remote_clean(char *message)
{
    char *at = message;
    while ((at = strstr(at, "://"))) {
        at += 3;
        char *end = at + strcspn(at, "/? \n");
        char *user = memchr(at, '@', (size_t)(end - at)) ? end : NULL;
        while (user && *user != '@')
            user--;
        if (user)
            at = put(at, user + 1, "");
        char *query = at + strcspn(at, "? \n");
        if (*query != '?')
            continue;
        char *last_of_it = query + size_of_path(query);
        at = last_of_it > query + 1 ? put(query, last_of_it, "?") : query + 1;
    }
}
