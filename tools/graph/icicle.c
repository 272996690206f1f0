/* icicle.c - Draws sizes: the width of each node is proportional to its bytes,
 * below its parent.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "graph.h"
#include "look.h"
#include "svg.h"
#include "tensor_text.h"
#include "tree_walk.h"
#include "units.h"

enum {
    WIDTH = 1200, /* width of the drawing, without margins */
    STEP = 46     /* distance between rows */
};

/* Nodes narrower than this are not drawn separately: adjacent ones are combined
 * into one mark. */
static const double narrowest = 1.5;

/* The state of a level during the traversal. */
struct shelf {
    double next;        /* start of the next node */
    double small_begin; /* start of the combined mark */
    size_t small_count;
};

struct icicle {
    const struct settings *settings;
    const struct outline *outline;
    FILE *to;
    struct shelf *shelves; /* by depth */
    size_t depth_count;
    double scale; /* width per byte */
    unsigned kinds;
};

static double top_of(size_t depth)
{
    return SVG_HEADING + (double)depth * STEP;
}

static void draw_small(struct icicle *c, size_t depth)
{
    struct shelf *shelf = &c->shelves[depth];
    if (shelf->small_count > 0)
        fprintf(c->to,
            "<g><title>%zu small one%s</title><rect x=\"%.2f\" "
            "y=\"%.0f\" width=\"%.2f\" height=\"%d\" class=\"z\"/></g>\n",
            shelf->small_count, shelf->small_count == 1 ? "" : "s",
            shelf->small_begin, top_of(depth), shelf->next - shelf->small_begin,
            STEP - 3);
    shelf->small_count = 0;
}

static void draw_text(const struct icicle *c, double x, double y, double width,
    const char *texts[2])
{
    double room = width - 14;
    if (room < 2 * SVG_NAME_WIDTH)
        return;
    fprintf(c->to, "<text class=\"n\" x=\"%.2f\" y=\"%.1f\">", x + 7, y + 19);
    svg_print_cut(c->to, texts[0], (size_t)(room / SVG_NAME_WIDTH));
    fputs("</text>", c->to);
    if (room < 6 * SVG_NOTE_WIDTH)
        return;
    fprintf(c->to, "<text class=\"m\" x=\"%.2f\" y=\"%.1f\">", x + 7, y + 34);
    svg_print_cut(c->to, texts[1], (size_t)(room / SVG_NOTE_WIDTH));
    fputs("</text>", c->to);
}

static char *name_of(const struct icicle *c, uint32_t id, const char *path)
{
    if (c->outline->nodes[id].by_slot)
        return strdup(slot_label(path));
    return node_name(c->outline, id);
}

/* Writes for example "784.0 KiB · 33 % · float32 [784,256]"; the end can be cut
 * off. */
static void note_of(const struct icicle *c, const varve_saved_node *node,
    char note[LOOK_TEXT_SIZE])
{
    char type[VARVE_TENSOR_TEXT_SIZE];
    char size[UNITS_TEXT_SIZE];
    uint64_t bytes = c->outline->nodes[node->id].bytes;
    double total = (double)c->outline->nodes[c->outline->root].bytes;
    snprintf(note, LOOK_TEXT_SIZE, "%s · %.3g %% · %s",
        size_text(c->settings->units, bytes, size), 100 * (double)bytes / total,
        node->kind == VARVE_VARIABLE ? type_text(&node->value, type)
                                     : kind_name(node->kind));
}

/* Draws the frame of a node; a narrow one is a bar. */
static void draw_frame(
    const struct icicle *c, uint32_t id, const double place[3])
{
    bool is_bar = place[2] < 8;
    fprintf(c->to,
        "<rect class=\"%s%u\" x=\"%.2f\" y=\"%.0f\" "
        "width=\"%.2f\" height=\"%d\"%s/>",
        is_bar ? "u d" : "k", look_of(c->outline, id),
        place[0] + (is_bar ? 0.3 : 0.75), place[1],
        place[2] - (is_bar ? 0.6 : 1.5), STEP - 3, is_bar ? "" : " rx=\"4\"");
}

static bool draw_node(
    struct icicle *c, const struct row *row, double x, double width)
{
    char note[LOOK_TEXT_SIZE];
    double y = top_of(row->depth);
    varve_saved_node node = outline_saved(c->outline, row->branch.node);
    char *name = name_of(c, node.id, node.path);
    if (!name)
        return false;
    note_of(c, &node, note);
    fputs("<g><title>", c->to);
    svg_print(c->to, *node.path ? node.path : "/");
    fputs("\n", c->to);
    svg_print(c->to, note);
    fputs("</title>", c->to);
    draw_frame(c, node.id, (const double[3]){ x, y, width });
    draw_text(c, x, y, width, (const char *[2]){ name, note });
    fputs("</g>\n", c->to);
    free(name);
    return true;
}

static double width_of(const struct icicle *c, uint32_t node)
{
    return c->scale * (double)c->outline->nodes[node].bytes;
}

static bool place_row(struct icicle *c, const struct row *row)
{
    struct shelf *shelf = &c->shelves[row->depth];
    double x = shelf->next;
    double width = width_of(c, row->branch.node);
    if (width < narrowest) {
        if (shelf->small_count == 0)
            shelf->small_begin = x;
        shelf->small_count += width > 0;
        shelf->next = x + width;
        return true;
    }
    draw_small(c, row->depth);
    draw_small(c, row->depth + 1);
    c->shelves[row->depth + 1].next = x;
    shelf->next = x + width;
    return draw_node(c, row, x, width);
}

/* Draws all rows, but nothing below a narrow node. */
static bool place_all(struct icicle *c)
{
    struct tree_walk walk;
    struct row row;
    size_t narrow = SIZE_MAX; /* depth of the narrow ancestor */
    bool good = true;
    c->shelves[0].next = SVG_MARGIN;
    tree_walk_begin(&walk, c->outline, c->outline->view->depth, true);
    while (good && tree_walk_next(&walk, &row)) {
        if (row.kind != ROW_NODE || row.depth > narrow)
            continue;
        bool is_narrow = width_of(c, row.branch.node) < narrowest;
        narrow = is_narrow ? row.depth : SIZE_MAX;
        good = place_row(c, &row);
    }
    for (size_t i = 0; i <= c->depth_count; i++)
        draw_small(c, i);
    good = good && !walk.failed;
    tree_walk_end(&walk);
    return good;
}

/* Determines the looks that are used, and the number of rows. */
static void measure(struct icicle *c)
{
    for (size_t i = 0; i < c->outline->reached; i++) {
        uint32_t id = c->outline->order[i];
        const struct outline_node *node = &c->outline->nodes[id];
        if (!outline_has(c->outline, id) || node->bytes == 0)
            continue;
        bool is_narrow = width_of(c, id) < narrowest;
        if (is_narrow && (node->parent == OUTLINE_NONE ||
                             width_of(c, node->parent) < narrowest))
            continue;
        if (node->depth >= c->depth_count)
            c->depth_count = node->depth + 1;
        if (!is_narrow)
            c->kinds |= 1u << look_of(c->outline, id);
    }
}

bool graph_icicle(
    const struct settings *settings, const struct outline *outline, FILE *to)
{
    struct icicle c = { .settings = settings, .outline = outline, .to = to };
    uint64_t total = outline->nodes[outline->root].bytes;
    c.scale = total ? WIDTH / (double)total : 0;
    measure(&c);
    c.shelves = calloc(c.depth_count + 2, sizeof *c.shelves);
    if (!c.shelves)
        return false;
    double size[2] = { WIDTH + 2 * SVG_MARGIN,
        top_of(c.depth_count) + SVG_MARGIN };
    svg_begin(settings, outline, size, c.kinds, to);
    bool good = total == 0 || place_all(&c);
    svg_end(to);
    free(c.shelves);
    return good;
}
