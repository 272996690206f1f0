/* svg.h - Parts that all SVG drawings share: the frame, the heading, and text
 * with its width.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_SVG_H
#define TOOL_SVG_H

#include <stdio.h>

#include "look.h"
#include "outline.h"
#include "settings.h"

enum {
    SVG_MARGIN = 24,
    SVG_HEADING = 74, /* height of the heading area */
    SVG_LEAST_WIDTH = 720
};

/* Edges that are not in the tree. Their lines have the class aN, their heads
 * bN. */
enum svg_link {
    SVG_SLOT_OF,
    SVG_SHARED, /* a further name of a node */
    SVG_CYCLE,  /* an edge back to an ancestor */
    SVG_LINK_COUNT
};

/* Width of a column of names, and of notes, which are smaller. */
#define SVG_NAME_WIDTH 7.3
#define SVG_NOTE_WIDTH 6.3

/* Prints the opening tag with styles, the background, the heading (file,
 * values, size) and a legend of the looks and links whose bits are set in
 * `kinds`; links follow the looks. */
void svg_begin(const struct settings *settings, const struct outline *outline,
    const double size[2], unsigned kinds, FILE *to);
void svg_end(FILE *to);

/* Prints text for XML, with invalid characters replaced. */
void svg_print(FILE *to, const char *text);

/* Returns the number of columns of a text. */
size_t svg_columns(const char *text);

/* Like svg_print, cut with an ellipsis after `most` columns (at least 1). */
void svg_print_cut(FILE *to, const char *text, size_t most);

#endif
