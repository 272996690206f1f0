/* remote_error.c - Stores one text per thread.
 *
 * SPDX-License-Identifier: MIT
 */
#include "remote_error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "remote_url.h"

static _Thread_local struct {
    int number;
    char text[700];
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

void vv_remote_copy_reason(char *text, size_t room)
{
    snprintf(text, room, "%s", last.text);
}

const char *vv_remote_reason(int number, const char *path)
{
    bool is_it =
        vv_remote_scheme_of(path) != VV_REMOTE_NONE && number == last.number;
    last.number = 0;
    return is_it ? last.text : NULL;
}
