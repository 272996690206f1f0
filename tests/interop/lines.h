/* lines.h - the lines of manifest.py, field by field.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef LINES_H
#define LINES_H

#include <stdbool.h>
#include <stddef.h>

enum { LINE_FIELDS = 6 };

struct lines {
    char *text; /* owned */
    char *next;
    size_t number;
    /* The fields of the present line, unescaped; "" behind its last. */
    const char *fields[LINE_FIELDS];
    bool is_absent[LINE_FIELDS]; /* '-', or behind the last */
};

/* False where the file cannot be read. */
bool lines_open(struct lines *lines, const char *path);
void lines_close(struct lines *lines);

/* False at the end. */
bool lines_next(struct lines *lines);

/* Whether the first field of the present line is `word`. */
bool line_is(const struct lines *lines, const char *word);

/* A field as a number. */
size_t line_number(const struct lines *lines, size_t field);

#endif
