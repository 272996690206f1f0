/* tree_layout.c - Places the boxes of a drawn tree in time O(boxes).
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdlib.h>

#include "drawing.h"

enum {
    SCREEN_WIDTH = 1280,
    SCREEN_HEIGHT = 800,
    SCREEN_LINES = 40 /* approximate number of lines on a screen */
};

static const struct density densities[] = {
    { 36, 8, 8, 52, 12, 7.3, 6.3, false },
    { 18, 5, 5, 40, 8, 6.2, 5.6, true },
    { 15, 3, 3, 36, 6, 6.2, 5.6, true },
};

/* Returns the line of a parent: in the middle of its children's lines, or the
 * first if they exceed a screen. */
static size_t line_amid(const struct drawing *d, size_t parent)
{
    size_t first = d->boxes[parent + 1].line;
    size_t last = d->boxes[d->boxes[parent].last_child].line;
    return last - first > SCREEN_LINES ? first : (first + last) / 2;
}

/* Numbers the leaves from top to bottom, then, in reverse order, places their
 * parents. */
static void choose_lines(struct drawing *d)
{
    for (size_t i = 0; i < d->count; i++) {
        if (d->boxes[i].last_child == NO_BOX)
            d->boxes[i].line = d->line_count++;
    }
    for (size_t i = d->count; i-- > 0;) {
        struct box *box = &d->boxes[i];
        if (box->last_child != NO_BOX)
            box->line = line_amid(d, i);
    }
}

static bool begins_group(const struct drawing *d, size_t leaf, size_t last)
{
    return last != NO_BOX && d->boxes[last].parent != d->boxes[leaf].parent;
}

/* Places the leaves, and returns the bottom of the lines. */
static double place_lines(struct drawing *d, const struct density *density)
{
    double y = SVG_HEADING;
    size_t last = NO_BOX;
    for (size_t i = 0; i < d->count; i++) {
        if (d->boxes[i].last_child != NO_BOX)
            continue;
        y += begins_group(d, i, last) ? density->group_gap : 0;
        last = i;
        d->boxes[i].y = y + density->height / 2;
        y += density->height + density->gap;
    }
    return y - density->gap;
}

static void measure(struct drawing *d, const struct density *density)
{
    for (size_t i = 0; i < d->count; i++) {
        struct box *box = &d->boxes[i];
        double name = density->name_columns * (double)box->name_columns;
        double note = density->note_columns * (double)box->note_columns;
        box->width = 2 * density->padding +
                     (density->one_line ? name + density->padding + note
                         : name > note  ? name
                                        : note);
    }
}

/* Returns the right end of a box with the count of hidden nodes, such as
 * "+12". */
static double end_of(const struct box *box)
{
    enum { ROOM_FOR_COUNT = 46 };
    return box->x + box->width + (box->row.is_cut ? ROOM_FOR_COUNT : 0);
}

/* Returns the right end of the last column. */
static double place_columns(struct drawing *d, const struct density *density)
{
    double x = SVG_MARGIN;
    measure(d, density);
    for (size_t i = 0; i < d->depth_count; i++)
        d->columns[i] = 0;
    for (size_t i = 0; i < d->count; i++) {
        const struct box *box = &d->boxes[i];
        if (d->columns[box->row.depth] < box->width)
            d->columns[box->row.depth] = box->width;
    }
    for (size_t i = 0; i < d->depth_count; i++) {
        double width = d->columns[i];
        d->columns[i] = x;
        x += width + density->column_gap;
    }
    return x - density->column_gap;
}

/* Chooses the first density with which everything fits on one screen, or at
 * least its height; otherwise the second one. The chosen density is applied
 * last. */
static void choose_density(struct drawing *d)
{
    enum { COUNT = sizeof densities / sizeof *densities };
    enum { LINKS = 90 };
    char note[FOLD_NOTE_SIZE];
    double below =
        *outline_fold_note(d->outline, note) ? 2 * SVG_MARGIN : SVG_MARGIN;
    size_t chosen = COUNT;
    size_t as_high = COUNT;
    for (size_t i = COUNT; i-- > 0;) {
        if (place_lines(d, &densities[i]) + below > SCREEN_HEIGHT)
            continue;
        as_high = i;
        if (place_columns(d, &densities[i]) + LINKS < SCREEN_WIDTH)
            chosen = i;
    }
    if (chosen == COUNT)
        chosen = as_high < COUNT ? as_high : 1;
    d->density = densities[chosen];
    d->size[1] = place_lines(d, &d->density) + below;
    place_columns(d, &d->density);
}

bool drawing_arrange(struct drawing *d)
{
    for (size_t i = 0; i < d->count; i++) {
        if (d->boxes[i].row.depth >= d->depth_count)
            d->depth_count = d->boxes[i].row.depth + 1;
    }
    choose_lines(d);
    d->columns = calloc(d->depth_count + 1, sizeof *d->columns);
    d->line_ends = calloc(d->line_count + 1, sizeof *d->line_ends);
    double *heights = calloc(d->line_count + 1, sizeof *heights);
    bool good = d->columns && d->line_ends && heights;
    if (good)
        choose_density(d);
    for (size_t i = 0; good && i < d->count; i++) {
        struct box *box = &d->boxes[i];
        box->x = d->columns[box->row.depth];
        if (box->last_child == NO_BOX) {
            heights[box->line] = box->y;
            d->line_ends[box->line] = end_of(box);
            d->widest = fmax(d->widest, end_of(box));
        }
        if (end_of(box) + SVG_MARGIN > d->size[0])
            d->size[0] = end_of(box) + SVG_MARGIN;
    }
    for (size_t i = 0; good && i < d->count; i++)
        d->boxes[i].y = heights[d->boxes[i].line];
    free(heights);
    return good;
}
