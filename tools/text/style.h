/* style.h - Determines the capabilities of the terminal: colors and UTF-8.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_STYLE_H
#define TOOL_STYLE_H

#include <stdbool.h>
#include <stdio.h>

#include "settings.h"

struct style {
    bool utf8;
    const char *bold; /* "" without colors */
    const char *dim;
    const char *red;
    const char *green;
    const char *cyan;
    const char *plain; /* ends any of the above */
    const char *dot;   /* separates facts, with its spaces */
    const char *times;
    const char *arrow;
    const char *dots; /* marks an omission */
    const char *tee;  /* a child with siblings below it */
    const char *corner;
    const char *pipe;
    const char *blank;
};

/* Returns the style for output to `stream`. */
struct style style_for(const struct settings *settings, FILE *stream);

/* Returns true if a code point is a control character instead of being
 * displayed: ASCII and C1 controls, newlines, and those that change the
 * direction of text; also for a byte of invalid UTF-8. */
bool point_steers(unsigned long point);

/* Returns the number of columns of UTF-8 text on a terminal, as printed by
 * print_clean. */
size_t text_width(const char *text);

/* Prints text and pads it to `width` columns. */
void print_padded(const char *text, size_t width);

/* Prints text from a file, with control characters as %XX. */
void print_clean(FILE *to, const char *text);

/* Returns how many bytes of a text to show if at most `most` are allowed; does
 * not cut characters. */
size_t text_beginning(const char *text, size_t size, size_t most);

/* Compares texts in natural order: runs of digits by value. */
int text_compare(const char *a, const char *b);

/* Returns the next code point of valid UTF-8 and advances *text. For a stray
 * byte returns U+FFFD. */
unsigned long text_next(const char **text);

#endif
