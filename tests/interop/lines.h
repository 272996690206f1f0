/* lines.h - Declares a parser of the lines of manifest.py.
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
    /* The fields of the current line, unescaped; "" after its last. */
    const char *fields[LINE_FIELDS];
    bool is_absent[LINE_FIELDS]; /* field is '-' or missing */
};

/* Returns false if the file cannot be read. */
bool lines_open(struct lines *lines, const char *path);
void lines_close(struct lines *lines);

/* Reads the next line. Returns false at the end. */
bool lines_next(struct lines *lines);

/* Returns true if the first field of the current line is `word`. */
bool line_is(const struct lines *lines, const char *word);

/* Returns a field as a number. */
size_t line_number(const struct lines *lines, size_t field);

#endif
