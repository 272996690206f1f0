/* lines.c - Parses lines of fields separated by spaces, with some bytes as %XX.
 *
 * SPDX-License-Identifier: MIT
 */
#include "lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool lines_open(struct lines *lines, const char *path)
{
    FILE *stream = fopen(path, "rb");
    memset(lines, 0, sizeof *lines);
    if (!stream)
        return false;
    long size = fseek(stream, 0, SEEK_END) ? -1 : ftell(stream);
    if (size >= 0 && !fseek(stream, 0, SEEK_SET))
        lines->text = malloc((size_t)size + 1);
    bool is_read = lines->text
        && fread(lines->text, 1, (size_t)size, stream) == (size_t)size;
    fclose(stream);
    if (!is_read) {
        lines_close(lines);
        return false;
    }
    lines->text[size] = '\0';
    lines->next = lines->text;
    return true;
}

void lines_close(struct lines *lines)
{
    free(lines->text);
    lines->text = NULL;
}

static void unescape(char *field)
{
    char *to = field;
    for (const char *from = field; *from; from++) {
        if (*from == '%') {
            char digits[3] = { from[1], from[2], '\0' };
            *to++ = (char)strtoul(digits, NULL, 16);
            from += 2;
        } else {
            *to++ = *from;
        }
    }
    *to = '\0';
}

bool lines_next(struct lines *lines)
{
    if (!*lines->next)
        return false;
    char *at = lines->next;
    char *end = at + strcspn(at, "\n");
    lines->next = *end ? end + 1 : end;
    *end = '\0';
    lines->number++;
    for (size_t i = 0; i < LINE_FIELDS; i++) {
        char *field = at;
        at += strcspn(at, " ");
        if (*at)
            *at++ = '\0';
        lines->is_absent[i] = !*field || strcmp(field, "-") == 0;
        if (lines->is_absent[i])
            *field = '\0';
        unescape(field);
        lines->fields[i] = field;
    }
    return true;
}

bool line_is(const struct lines *lines, const char *word)
{
    return strcmp(lines->fields[0], word) == 0;
}

size_t line_number(const struct lines *lines, size_t field)
{
    return strtoul(lines->fields[field], NULL, 10);
}
