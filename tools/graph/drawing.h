/* drawing.h - The layout of a drawn tree: boxes in lines and columns, and the
 * edges that are not in the tree.
 *
 * Every leaf has a line of its own, and every other box is on the line of a
 * leaf below it. So anything between two lines, or to the right of all boxes of
 * a line, does not cross a box.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_DRAWING_H
#define TOOL_DRAWING_H

#include <stdio.h>

#include "outline.h"
#include "settings.h"
#include "svg.h"
#include "tree_walk.h"

#define NO_BOX SIZE_MAX

/* Sizes. In a large tree a box has only one line of text. */
struct density {
    double height;    /* of a box */
    double gap;       /* between lines */
    double group_gap; /* additional gap between children of different parents */
    double column_gap;
    double padding;      /* on both sides of the text in a box */
    double name_columns; /* width of a column of text */
    double note_columns;
    bool one_line;
};

struct box {
    struct row row;
    size_t parent;     /* index of a box, or NO_BOX */
    size_t last_child; /* NO_BOX: a leaf */
    size_t line;
    /* lanes of the links to it, from 1; 0: none yet */
    size_t lanes[SVG_LINK_COUNT];
    size_t name_columns;
    size_t note_columns;
    double x;
    double y; /* of its center */
    double width;
};

/* An edge that is not in the tree. */
struct link {
    size_t from; /* indices of boxes */
    size_t to;
    enum svg_link kind;
    double x; /* position of its vertical part */
};

struct drawing {
    const struct settings *settings;
    const struct outline *outline;
    FILE *to;
    struct box *boxes;
    size_t count;
    size_t room;
    /* by node: its box, or that of the node below which it is hidden */
    size_t *place;
    size_t depth_count;
    double *columns; /* by depth: start of the column */
    size_t line_count;
    double *line_ends; /* by line: right end of its boxes */
    double widest;     /* largest of these */
    struct link *links;
    size_t link_count;
    size_t link_room;
    struct density density;
    unsigned kinds;
    double size[2];
};

/* Computes the positions of the boxes; returns false if there is no memory. */
bool drawing_arrange(struct drawing *d);

/* Finds the links and their positions; returns false if there is no memory. */
bool drawing_link(struct drawing *d);

void drawing_print_links(const struct drawing *d);

#endif
