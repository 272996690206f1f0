/* svg_tree.c - the graph drawn as a tree that grows to the right.
 *
 * Rows of the tree walk become boxes; leaves stand below each other, parents in
 * the middle of their children, each depth in a column of its own. All in time
 * O(nodes).
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "graph.h"
#include "look.h"
#include "slot_summary.h"
#include "style.h"
#include "svg.h"
#include "tree_walk.h"
#include "units.h"

#define NO_BOX SIZE_MAX

enum {
    BOX_HEIGHT = 36,
    BOX_GAP = 8,
    COLUMN_GAP = 52,
    BOX_PADDING = 12,
    MOST_COLUMNS = 44,  /* of text in a box */
    GROUP_GAP = 8,      /* more between children of different parents */
    ROOM_FOR_COUNT = 32 /* of what is below a box and not shown */
};

struct box {
    struct row row;
    size_t parent; /* box, or NO_BOX */
    size_t last_child;
    double x;
    double y; /* of its middle */
    double width;
};

struct drawing {
    const struct settings *settings;
    const struct outline *outline;
    FILE *to;
    struct box *boxes;
    size_t count;
    size_t room;
    size_t *box_of;  /* by node */
    double *columns; /* by depth: widest box, then where the column begins */
    size_t depth_count;
    unsigned kinds;
    double size[2];
};

/* --- The words in a box ------------------------------------------------- */

struct words {
    char *name; /* allocated */
    char note[LOOK_TEXT_SIZE];
};

/* Of a slot: which variable it belongs to. Its type comes first. */
static void note_slot(
    const struct drawing *d, const struct box *box, struct words *words)
{
    const char *path = outline_saved(d->outline, box->row.branch.variable).path;
    char type[LOOK_TEXT_SIZE];
    size_t size = strlen(path);
    bool is_long = size > 24;
    if (box->row.kind == ROW_ALIAS)
        return;
    strcpy(type, words->note);
    path += is_long ? size - 23 : 0;
    while ((*path & 0xc0) == 0x80)
        path++;
    snprintf(
        words->note, sizeof words->note, "of %s%s", is_long ? "…" : "", path);
    size = strlen(words->note);
    snprintf(words->note + size, sizeof words->note - size, " · %s",
        strrchr(type, ' ') && strstr(type, "·") ? strstr(type, "·") + 3 : type);
}

/* All slots of an owner. */
static bool slot_words(
    const struct drawing *d, uint32_t owner, struct words *words)
{
    char text[LOOK_TEXT_SIZE];
    char size[UNITS_TEXT_SIZE];
    uint64_t bytes = slot_summary(d->outline, owner, text, sizeof text);
    words->name = strdup("(slots)");
    snprintf(words->note, sizeof words->note, "%.*s · %s", LOOK_TEXT_SIZE - 40,
        text, size_text(d->settings->units, bytes, size));
    return words->name != NULL;
}

static bool make_words(
    const struct drawing *d, const struct box *box, struct words *words)
{
    const struct row *row = &box->row;
    if (row->kind == ROW_SLOTS)
        return slot_words(d, row->branch.node, words);
    if (row->depth == 0)
        words->name = node_name(d->outline, row->branch.node);
    else
        words->name = shown_name(row->branch.name);
    if (row->kind == ROW_ALIAS) {
        const char *path = outline_saved(d->outline, row->branch.node).path;
        snprintf(words->note, sizeof words->note, "→ %s", *path ? path : "/");
    } else {
        node_note(d->settings, d->outline, row->branch.node, words->note);
    }
    if (row->branch.variable != OUTLINE_NONE)
        note_slot(d, box, words);
    return words->name != NULL;
}

static double width_of(const struct words *words)
{
    size_t name = text_width(words->name);
    size_t note = text_width(words->note);
    double by_name =
        SVG_NAME_WIDTH * (double)(name < MOST_COLUMNS ? name : MOST_COLUMNS);
    double by_note =
        SVG_NOTE_WIDTH * (double)(note < MOST_COLUMNS ? note : MOST_COLUMNS);
    return 2 * BOX_PADDING + (by_name > by_note ? by_name : by_note);
}

/* --- Layout ------------------------------------------------------------- */

static struct box *add_box(struct drawing *d)
{
    if (d->count == d->room) {
        size_t room = 2 * d->room + 64;
        void *boxes = realloc(d->boxes, room * sizeof *d->boxes);
        if (!boxes)
            return NULL;
        d->boxes = boxes;
        d->room = room;
    }
    return &d->boxes[d->count++];
}

static bool widen_column(struct drawing *d, size_t depth, double width)
{
    while (d->depth_count <= depth) {
        size_t count = 2 * d->depth_count + 16;
        double *columns = realloc(d->columns, count * sizeof *columns);
        if (!columns)
            return false;
        for (size_t i = d->depth_count; i < count; i++)
            columns[i] = 0;
        d->columns = columns;
        d->depth_count = count;
    }
    if (d->columns[depth] < width)
        d->columns[depth] = width;
    return true;
}

static bool place_row(struct drawing *d, const struct row *row, size_t above)
{
    struct words words;
    struct box *box = add_box(d);
    if (!box)
        return false;
    *box = (struct box){ .row = *row, .last_child = NO_BOX };
    /* Upwards from the row above to the one that is a level higher. */
    while (above != NO_BOX && d->boxes[above].row.depth >= row->depth)
        above = d->boxes[above].parent;
    box->parent = above;
    if (above != NO_BOX)
        d->boxes[above].last_child = d->count - 1;
    if (row->kind == ROW_NODE) {
        d->box_of[row->branch.node] = d->count - 1;
        d->kinds |= 1u << look_of(d->outline, row->branch.node);
    } else if (row->kind == ROW_SLOTS) {
        d->kinds |= 1u << LOOK_SLOT;
    }
    bool good = make_words(d, box, &words);
    if (good) {
        box->width = width_of(&words);
        good = widen_column(
            d, row->depth, box->width + (row->is_cut ? ROOM_FOR_COUNT : 0));
    }
    free(words.name);
    return good;
}

static bool collect(struct drawing *d)
{
    struct tree_walk walk;
    struct row row;
    bool good = true;
    tree_walk_begin(&walk, d->outline, d->settings->depth, d->settings->slots);
    while (good && tree_walk_next(&walk, &row)) {
        if (row.kind == ROW_ALIAS && row.branch.variable != OUTLINE_NONE &&
            row.depth > d->settings->depth)
            continue;
        good = place_row(d, &row, d->count ? d->count - 1 : NO_BOX);
    }
    good = good && !walk.failed;
    tree_walk_end(&walk);
    return good;
}

/* Leaves from top to bottom; then, backwards, parents amid their children. */
static void arrange(struct drawing *d)
{
    double x = SVG_MARGIN;
    double y = SVG_HEADING;
    size_t leaf = NO_BOX; /* the last one */
    for (size_t i = 0; i < d->depth_count && d->columns[i] > 0; i++) {
        double width = d->columns[i];
        d->columns[i] = x;
        x += width + COLUMN_GAP;
    }
    d->size[0] = x - COLUMN_GAP + SVG_MARGIN;
    for (size_t i = 0; i < d->count; i++) {
        struct box *box = &d->boxes[i];
        box->x = d->columns[box->row.depth];
        if (box->last_child != NO_BOX)
            continue;
        if (leaf != NO_BOX && d->boxes[leaf].parent != box->parent)
            y += GROUP_GAP;
        leaf = i;
        box->y = y + BOX_HEIGHT / 2.0;
        y += BOX_HEIGHT + BOX_GAP;
    }
    d->size[1] = y - BOX_GAP + SVG_MARGIN;
    for (size_t i = d->count; i-- > 0;) {
        struct box *box = &d->boxes[i];
        if (box->last_child != NO_BOX)
            box->y = (d->boxes[i + 1].y + d->boxes[box->last_child].y) / 2;
    }
}

/* --- Drawing ------------------------------------------------------------ */

static void draw_edge(const struct drawing *d, const struct box *box)
{
    const struct box *from = &d->boxes[box->parent];
    double x = from->x + from->width;
    double middle = (x + box->x) / 2;
    fprintf(d->to,
        "<path class=\"e\"%s d=\"M%.1f %.1fC%.1f %.1f %.1f %.1f "
        "%.1f %.1f\"/>\n",
        box->row.branch.variable == OUTLINE_NONE && box->row.kind != ROW_SLOTS
            ? ""
            : " style=\"stroke:#b99fe8\" stroke-dasharray=\"5 3\"",
        x, from->y, middle, from->y, middle, box->y, box->x, box->y);
}

/* From the box of an alias to the upper or lower side of the node itself. */
static void draw_alias(const struct drawing *d, const struct box *box)
{
    size_t target = d->box_of[box->row.branch.node];
    if (target == NO_BOX)
        return;
    const struct box *to = &d->boxes[target];
    double side = box->y > to->y ? 1 : -1;
    double from_x = box->x + box->width;
    double to_x = to->x + to->width * 0.75;
    double to_y = to->y + side * BOX_HEIGHT / 2.0;
    double bend = 36 + 0.05 * side * (box->y - to->y);
    bend = bend > 120 ? 120 : bend;
    fprintf(d->to,
        "<path class=\"a\" d=\"M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f "
        "%.1f\"/><circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\" "
        "fill=\"#d9936f\"/>\n",
        from_x, box->y, from_x + bend, box->y, to_x, to_y + side * bend, to_x,
        to_y, to_x, to_y);
}

static void draw_text(
    const struct drawing *d, const struct box *box, const struct words *words)
{
    double x = box->x + BOX_PADDING;
    fprintf(d->to, "<text class=\"n\" x=\"%.1f\" y=\"%.1f\">", x, box->y - 2.5);
    svg_print_cut(d->to, words->name, MOST_COLUMNS);
    fprintf(d->to, "</text><text class=\"m\" x=\"%.1f\" y=\"%.1f\">", x,
        box->y + 11);
    svg_print_cut(d->to, words->note, MOST_COLUMNS);
    fputs("</text></g>\n", d->to);
}

static bool draw_box(const struct drawing *d, const struct box *box)
{
    struct words words;
    varve_saved_node node = outline_saved(d->outline, box->row.branch.node);
    if (!make_words(d, box, &words)) {
        free(words.name);
        return false;
    }
    fputs("<g><title>", d->to);
    svg_print(d->to, *node.path ? node.path : "/");
    fputs("</title><rect class=\"", d->to);
    if (box->row.kind == ROW_ALIAS)
        fputs("g", d->to);
    else if (box->row.kind == ROW_SLOTS)
        fprintf(d->to, "k%d", LOOK_SLOT);
    else
        fprintf(d->to, "k%u", look_of(d->outline, node.id));
    fprintf(d->to,
        "\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" "
        "rx=\"7\"/>",
        box->x, box->y - BOX_HEIGHT / 2.0, box->width, BOX_HEIGHT);
    draw_text(d, box, &words);
    if (box->row.is_cut)
        fprintf(d->to, "<text class=\"l\" x=\"%.1f\" y=\"%.1f\">+%u</text>\n",
            box->x + box->width + 6, box->y + 4,
            d->outline->nodes[node.id].below);
    free(words.name);
    return true;
}

static bool draw_all(struct drawing *d)
{
    bool good = true;
    if (d->size[0] < SVG_LEAST_WIDTH)
        d->size[0] = SVG_LEAST_WIDTH;
    svg_begin(d->settings, d->outline, d->size, d->kinds, d->to);
    for (size_t i = 1; i < d->count; i++)
        draw_edge(d, &d->boxes[i]);
    for (size_t i = 1; i < d->count; i++) {
        if (d->boxes[i].row.kind == ROW_ALIAS)
            draw_alias(d, &d->boxes[i]);
    }
    for (size_t i = 0; good && i < d->count; i++)
        good = draw_box(d, &d->boxes[i]);
    svg_end(d->to);
    return good;
}

bool graph_tree(
    const struct settings *settings, const struct outline *outline, FILE *to)
{
    struct drawing d = { .settings = settings, .outline = outline, .to = to };
    d.box_of = malloc((outline->count + 1) * sizeof *d.box_of);
    bool good = d.box_of != NULL;
    for (size_t i = 0; good && i < outline->count; i++)
        d.box_of[i] = NO_BOX;
    good = good && collect(&d);
    if (good) {
        arrange(&d);
        good = draw_all(&d);
    }
    free(d.box_of);
    free(d.boxes);
    free(d.columns);
    return good;
}
