/* drawing.h - a graph on its way to a drawn tree: boxes in lines and columns,
 * and the edges beside those of the tree.
 *
 * Every leaf has a line to itself, and every other box stands on the line of a
 * leaf below it. So whatever runs between two lines, or right of all that is on
 * a line, meets no box.
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

/* How large things are: in a large tree a box has one line of text. */
struct density {
    double height;    /* of a box */
    double gap;       /* between lines */
    double group_gap; /* more between children of different parents */
    double column_gap;
    double padding;      /* left and right in a box */
    double name_columns; /* the width of a column of text */
    double note_columns;
    bool one_line;
};

struct box {
    struct row row;
    size_t parent;     /* box, or NO_BOX */
    size_t last_child; /* NO_BOX: a leaf */
    size_t line;
    size_t lanes[SVG_LINK_COUNT]; /* of the links to it, from 1; 0: none yet */
    size_t name_columns;
    size_t note_columns;
    double x;
    double y; /* of its middle */
    double width;
};

/* An edge beside those of the tree. */
struct link {
    size_t from; /* boxes */
    size_t to;
    enum svg_link kind;
    double x; /* where it runs up or down */
};

struct drawing {
    const struct settings *settings;
    const struct outline *outline;
    FILE *to;
    struct box *boxes;
    size_t count;
    size_t room;
    size_t *place; /* by node: its box, or that of what it is hidden below */
    size_t depth_count;
    double *columns; /* by depth: where the column begins */
    size_t line_count;
    double *line_ends; /* by line: right of what is on it */
    double widest;     /* of these */
    struct link *links;
    size_t link_count;
    size_t link_room;
    struct density density;
    unsigned kinds;
    double size[2];
};

/* Gives the boxes their places; false without memory. */
bool drawing_arrange(struct drawing *d);

/* Finds the links and where they run; false without memory. */
bool drawing_link(struct drawing *d);

void drawing_print_links(const struct drawing *d);

#endif
