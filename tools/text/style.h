/* style.h - what the terminal can show: colours, and more than ASCII.
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
    const char *bold; /* "" without colours */
    const char *dim;
    const char *red;
    const char *green;
    const char *cyan;
    const char *plain; /* ends any of them */
    const char *dot;   /* between facts, with its spaces */
    const char *times;
    const char *arrow;
    const char *dots; /* something was left out */
    const char *tee;  /* a child with siblings below it */
    const char *corner;
    const char *pipe;
    const char *blank;
};

/* For output to `stream`. */
struct style style_for(const struct settings *settings, FILE *stream);

/* Whether a code point steers what shows it instead of being shown: controls
 * of ASCII and behind it (C1), ends of lines, and those that turn the direction
 * of writing around; also a byte that is no UTF-8. */
bool point_steers(unsigned long point);

/* Columns that UTF-8 text takes on a terminal, as print_clean prints it. */
size_t text_width(const char *text);

/* Prints text and pads it to `width` columns. */
void print_padded(const char *text, size_t width);

/* Prints text from a file with what could steer a terminal as %XX. */
void print_clean(FILE *to, const char *text);

/* How many of the bytes of a text are shown where `most` may be: no character
 * is cut. */
size_t text_beginning(const char *text, size_t size, size_t most);

/* Compares texts as people do: runs of digits by their numbers. */
int text_compare(const char *a, const char *b);

/* One code point of valid UTF-8; *text moves behind it. A stray byte is
 * U+FFFD. */
unsigned long text_next(const char **text);

#endif
