/* svg.h - what the drawings share: the frame, the heading, text and its width.
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
    SVG_HEADING = 74, /* from the top to where the drawing begins */
    SVG_LEAST_WIDTH = 720
};

/* Edges beside those of the tree: the class aN of their lines, bN of their
 * heads. */
enum svg_link {
    SVG_SLOT_OF,
    SVG_SHARED, /* a further name of a node */
    SVG_CYCLE,  /* one that leads back */
    SVG_LINK_COUNT
};

/* Width of a column of names, and of the smaller notes. */
#define SVG_NAME_WIDTH 7.3
#define SVG_NOTE_WIDTH 6.3

/* The opening with styles, the background, the heading (file, values, size) and
 * a legend of what has its bit set in `kinds`: looks, and behind them links. */
void svg_begin(const struct settings *settings, const struct outline *outline,
    const double size[2], unsigned kinds, FILE *to);
void svg_end(FILE *to);

/* Text for XML, with what XML cannot hold replaced. */
void svg_print(FILE *to, const char *text);

/* The columns that this takes. */
size_t svg_columns(const char *text);

/* The same, cut with an ellipsis after `most` columns (at least 1). */
void svg_print_cut(FILE *to, const char *text, size_t most);

#endif
