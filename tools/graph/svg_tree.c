/* svg_tree.c - Draws the graph as a tree that grows to the right.
 *
 * Converts rows of the traversal to boxes in time O(nodes + edges).
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "drawing.h"
#include "graph.h"
#include "look.h"
#include "style.h"

enum { MOST_COLUMNS = 60 /* columns of text in a box */ };

/* --- The words in a box ------------------------------------------------- */

struct words {
    char *name; /* allocated */
    char note[LOOK_TEXT_SIZE];
};

/* Adds the variable to the note of a slot, before its type. */
static void note_slot(
    const struct drawing *d, const struct box *box, struct words *words)
{
    char type[LOOK_TEXT_SIZE];
    char *whole = outline_path(d->outline, box->row.branch.variable);
    const char *path = whole ? whole : "?";
    size_t size = strlen(path);
    bool is_long = size > 24;
    strcpy(type, words->note);
    path += is_long ? size - 23 : 0;
    while ((*path & 0xc0) == 0x80)
        path++;
    snprintf(
        words->note, sizeof words->note, "of %s%s", is_long ? "…" : "", path);
    size = strlen(words->note);
    snprintf(words->note + size, sizeof words->note - size, " · %s",
        strrchr(type, ' ') && strstr(type, "·") ? strstr(type, "·") + 3 : type);
    free(whole);
}

/* Returns the name of a node or alias, and writes its note. */
static char *name_words(
    const struct drawing *d, const struct box *box, struct words *words)
{
    const struct branch *branch = &box->row.branch;
    if (box->row.kind == ROW_ALIAS) {
        char *path = outline_path(d->outline, branch->node);
        snprintf(words->note, sizeof words->note, "→ %s",
            !path   ? "?"
            : *path ? path
                    : "/");
        free(path);
    } else {
        node_note(d->settings, d->outline, branch->node, words->note);
        if (branch->variable != OUTLINE_NONE)
            note_slot(d, box, words);
    }
    return box->row.depth == 0 ? node_name(d->outline, branch->node)
                               : shown_name(branch->name);
}

static bool make_words(
    const struct drawing *d, const struct box *box, struct words *words)
{
    if (box->row.kind == ROW_SLOTS) {
        slots_note(d->settings, d->outline, box->row.branch.node, words->note);
        words->name = strdup("slots");
    } else {
        words->name = name_words(d, box, words);
    }
    return words->name != NULL;
}

static size_t columns_of(const char *text)
{
    size_t columns = svg_columns(text);
    return columns < MOST_COLUMNS ? columns : MOST_COLUMNS;
}

/* --- Boxes -------------------------------------------------------------- */

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

static bool place_row(struct drawing *d, const struct row *row, size_t above)
{
    struct words words;
    struct box *box = add_box(d);
    if (!box)
        return false;
    *box = (struct box){ .row = *row, .last_child = NO_BOX };
    /* climbs from the preceding row to one of the next higher level */
    while (above != NO_BOX && d->boxes[above].row.depth >= row->depth)
        above = d->boxes[above].parent;
    box->parent = above;
    if (above != NO_BOX)
        d->boxes[above].last_child = d->count - 1;
    if (row->kind == ROW_NODE) {
        d->place[row->branch.node] = d->count - 1;
        d->kinds |= 1u << look_of(d->outline, row->branch.node);
    } else if (row->kind == ROW_SLOTS) {
        d->kinds |= 1u << LOOK_SLOT;
    }
    if (!make_words(d, box, &words))
        return false;
    box->name_columns = columns_of(words.name);
    box->note_columns = columns_of(words.note);
    free(words.name);
    return true;
}

static bool collect(struct drawing *d)
{
    struct tree_walk walk;
    struct row row;
    bool good = true;
    tree_walk_begin(
        &walk, d->outline, d->outline->view->depth, d->outline->view->slots);
    while (good && tree_walk_next(&walk, &row)) {
        if (row.kind == ROW_ALIAS && row.branch.variable != OUTLINE_NONE &&
            row.depth > d->outline->view->depth)
            continue;
        good = place_row(d, &row, d->count ? d->count - 1 : NO_BOX);
    }
    good = good && !walk.failed;
    tree_walk_end(&walk);
    return good;
}

/* Gives a node that is too deep to be shown the place of the box it is
 * below. */
static void place_hidden(struct drawing *d)
{
    const struct outline *outline = d->outline;
    for (size_t i = 1; i < outline->reached; i++) {
        uint32_t id = outline->order[i];
        const struct outline_node *node = &outline->nodes[id];
        if (d->place[id] == NO_BOX && node->shown)
            d->place[id] = d->place[node->parent];
    }
}

/* --- Drawing ------------------------------------------------------------ */

/* Draws a curve. Many curves from one parent would merge into a band, so then
 * the children share a trunk with round corners. */
static void draw_edge(const struct drawing *d, const struct box *box)
{
    enum { MOST_BY_CURVES = 500, RADIUS = 6 };
    const struct box *from = &d->boxes[box->parent];
    double x = from->x + from->width;
    double begin = box->x - d->density.column_gap;
    double middle = (begin + box->x) / 2;
    double down = d->boxes[from->last_child].y - from->y;
    if (down > MOST_BY_CURVES && box->y - from->y > RADIUS)
        fprintf(d->to,
            "<path class=\"e\" d=\"M%.1f %.1fH%.1fV%.1fQ%.1f %.1f %.1f %.1f"
            "H%.1f\"/>\n",
            x, from->y, middle, box->y - RADIUS, middle, box->y,
            middle + RADIUS, box->y, box->x);
    else
        fprintf(d->to,
            "<path class=\"e\" d=\"M%.1f %.1fH%.1fC%.1f %.1f %.1f %.1f "
            "%.1f %.1f\"/>\n",
            x, from->y, begin, middle, from->y, middle, box->y, box->x, box->y);
}

static void draw_words(
    const struct drawing *d, const struct box *box, const struct words *words)
{
    const struct density *density = &d->density;
    bool one_line = density->one_line;
    double x = box->x + density->padding;
    fprintf(d->to, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">",
        one_line ? "p" : "n", x, box->y + (one_line ? 3.5 : -2.5));
    svg_print_cut(d->to, words->name, MOST_COLUMNS);
    if (one_line)
        x += density->name_columns * (double)box->name_columns +
             density->padding;
    fprintf(d->to, "</text><text class=\"%s\" x=\"%.1f\" y=\"%.1f\">",
        one_line ? "q" : "m", x, box->y + (one_line ? 3.5 : 11));
    svg_print_cut(d->to, words->note, MOST_COLUMNS);
    fputs("</text></g>\n", d->to);
}

static void draw_frame(const struct drawing *d, const struct box *box)
{
    double height = d->density.height;
    const char *class = box->row.kind == ROW_ALIAS ? "g" : "k";
    fprintf(d->to, "<rect class=\"%s", class);
    if (box->row.kind == ROW_SLOTS)
        fprintf(d->to, "%d", LOOK_SLOT);
    else if (box->row.kind == ROW_NODE)
        fprintf(d->to, "%u", look_of(d->outline, box->row.branch.node));
    fprintf(d->to,
        "\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.0f\" "
        "rx=\"%d\"/>",
        box->x, box->y - height / 2, box->width, height,
        d->density.one_line ? 4 : 7);
}

static bool draw_title(const struct drawing *d, uint32_t node)
{
    char *path = outline_path(d->outline, node);
    if (!path)
        return false;
    fputs("<g><title>", d->to);
    svg_print(d->to, *path ? path : "/");
    fputs("</title>", d->to);
    free(path);
    return true;
}

static bool draw_box(const struct drawing *d, const struct box *box)
{
    struct words words;
    uint32_t node = box->row.branch.node;
    if (!draw_title(d, node) || !make_words(d, box, &words))
        return false;
    draw_frame(d, box);
    draw_words(d, box, &words);
    if (box->row.is_cut)
        fprintf(d->to, "<text class=\"l\" x=\"%.1f\" y=\"%.1f\">+%u</text>\n",
            box->x + box->width + 6, box->y + 4, d->outline->nodes[node].below);
    free(words.name);
    return true;
}

static void draw_fold_note(const struct drawing *d, const char *note)
{
    if (*note)
        fprintf(d->to, "<text class=\"s\" x=\"%d\" y=\"%.1f\">… %s</text>\n",
            SVG_MARGIN, d->size[1] - SVG_MARGIN, note);
}

static bool draw_all(struct drawing *d)
{
    char note[FOLD_NOTE_SIZE];
    bool good = true;
    if (d->size[0] < SVG_LEAST_WIDTH)
        d->size[0] = SVG_LEAST_WIDTH;
    outline_fold_note(d->outline, note);
    svg_begin(d->settings, d->outline, d->size, d->kinds, d->to);
    for (size_t i = 1; i < d->count; i++)
        draw_edge(d, &d->boxes[i]);
    drawing_print_links(d);
    for (size_t i = 0; good && i < d->count; i++)
        good = draw_box(d, &d->boxes[i]);
    draw_fold_note(d, note);
    svg_end(d->to);
    return good;
}

bool graph_tree(
    const struct settings *settings, const struct outline *outline, FILE *to)
{
    struct drawing d = { .settings = settings, .outline = outline, .to = to };
    d.place = malloc((outline->count + 1) * sizeof *d.place);
    bool good = d.place != NULL;
    for (size_t i = 0; good && i < outline->count; i++)
        d.place[i] = NO_BOX;
    good = good && collect(&d);
    if (good)
        place_hidden(&d);
    good = good && drawing_arrange(&d) && drawing_link(&d) && draw_all(&d);
    free(d.place);
    free(d.boxes);
    free(d.columns);
    free(d.line_ends);
    free(d.links);
    return good;
}
