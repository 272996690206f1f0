/* tree_links.c - Draws the edges that are not in the tree: further names,
 * cycles, and from slots to their variables.
 *
 * Each edge begins to the right of a leaf, runs vertically to the right of all
 * boxes on the lines in between, then left to the right side of a leaf, or
 * between the lines to the upper or lower side of another box.
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdlib.h>

#include "cycles.h"
#include "drawing.h"

enum {
    /* lines examined for one link; beyond that it runs to the right of all
     * boxes */
    MOST_LINES = 512,
    LANES = 10, /* parallel lanes; they begin at multiples of their width */
    LANE_WIDTH = 6,
    LANES_WIDTH = LANES * LANE_WIDTH,
    HEAD = 5 /* size of an arrow head */
};

/* --- Finding links -------------------------------------------------------- */

static bool add_link(
    struct drawing *d, size_t from, uint32_t node, enum svg_link kind)
{
    size_t to = d->place[node];
    if (to == NO_BOX)
        return true;
    if (d->link_count == d->link_room) {
        size_t room = 2 * d->link_room + 64;
        void *links = realloc(d->links, room * sizeof *d->links);
        if (!links)
            return false;
        d->links = links;
        d->link_room = room;
    }
    d->links[d->link_count++] =
        (struct link){ .from = from, .to = to, .kind = kind };
    d->kinds |= 1u << (LOOK_COUNT + kind);
    return true;
}

/* Adds links from the box of all slots of an owner to each variable. */
static bool add_fan(struct drawing *d, size_t from, uint32_t owner)
{
    struct branch branch;
    bool good = true;
    size_t first = d->link_count;
    size_t at = outline_saved(d->outline, owner).edge_count;
    for (; good && outline_branch(d->outline, owner, at, &branch); at++) {
        if (d->link_count == first ||
            d->links[d->link_count - 1].to != d->place[branch.variable])
            good = add_link(d, from, branch.variable, SVG_SLOT_OF);
    }
    return good;
}

static bool add_links(
    struct drawing *d, size_t from, const uint32_t *components)
{
    const struct box *box = &d->boxes[from];
    const struct branch *branch = &box->row.branch;
    bool is_slot = branch->variable != OUTLINE_NONE;
    if (box->row.kind == ROW_SLOTS)
        return add_fan(d, from, branch->node);
    if (is_slot && !add_link(d, from, branch->variable, SVG_SLOT_OF))
        return false;
    if (box->row.kind != ROW_ALIAS)
        return true;
    uint32_t parent = d->boxes[box->parent].row.branch.node;
    bool is_cycle = !is_slot && components[parent] == components[branch->node];
    return add_link(d, from, branch->node, is_cycle ? SVG_CYCLE : SVG_SHARED);
}

/* --- Routing -------------------------------------------------------------- */

/* Returns the right end of all boxes on some lines. */
static double right_of(const struct drawing *d, size_t first, size_t last)
{
    double end = 0;
    if (last - first > MOST_LINES)
        return d->widest;
    for (size_t i = first; i <= last; i++)
        end = fmax(end, d->line_ends[i]);
    return end;
}

static size_t lane_of(struct box *box, enum svg_link kind, size_t *lanes)
{
    if (box->lanes[kind] == 0)
        box->lanes[kind] = ++*lanes;
    return box->lanes[kind];
}

static bool is_fan(const struct drawing *d, const struct link *link)
{
    return d->boxes[link->from].row.kind == ROW_SLOTS;
}

/* Returns the number of links that share a trunk, starting at `first`. */
static size_t fan_size(const struct drawing *d, size_t first)
{
    size_t end = first + 1;
    if (is_fan(d, &d->links[first])) {
        while (
            end < d->link_count && d->links[end].from == d->links[first].from)
            end++;
    }
    return end - first;
}

/* Links of a kind to the same box, and those of a fan, share a lane. */
static void route(struct drawing *d, size_t first, size_t size, size_t *lanes)
{
    struct link *links = &d->links[first];
    struct box *box = &d->boxes[is_fan(d, links) ? links->from : links->to];
    size_t top = d->boxes[links->from].line;
    size_t bottom = top;
    for (size_t i = 0; i < size; i++) {
        size_t line = d->boxes[links[i].to].line;
        top = line < top ? line : top;
        bottom = line > bottom ? line : bottom;
    }
    double lane = (double)(lane_of(box, links->kind, lanes) % LANES);
    double x = right_of(d, top, bottom) + 2 * HEAD + LANES_WIDTH;
    x -= fmod(x, LANES_WIDTH) - LANE_WIDTH * lane;
    for (size_t i = 0; i < size; i++)
        links[i].x = x;
    d->size[0] = fmax(d->size[0], x + SVG_MARGIN);
}

bool drawing_link(struct drawing *d)
{
    uint32_t *components = cycles_find(d->outline);
    bool good = components != NULL;
    size_t lanes = 0;
    for (size_t i = 1; good && i < d->count; i++)
        good = add_links(d, i, components);
    free(components);
    for (size_t i = 0; good && i < d->link_count;) {
        size_t size = fan_size(d, i);
        route(d, i, size, &lanes);
        i += size;
    }
    return good;
}

/* --- Drawing -------------------------------------------------------------- */

/* Prints a line through points, with round corners. */
static void print_line(const struct drawing *d, enum svg_link kind,
    double (*points)[2], size_t count)
{
    fprintf(d->to, "<path class=\"a%d\" d=\"M%.1f %.1f", (int)kind,
        points[0][0], points[0][1]);
    for (size_t i = 1; i + 1 < count; i++) {
        double radius = 6;
        double in[2];
        double out[2];
        for (int j = 0; j < 2; j++) {
            in[j] = points[i][j] - points[i - 1][j];
            out[j] = points[i + 1][j] - points[i][j];
        }
        /* one of the two coordinates of each is zero */
        radius = fmin(radius, fabs(in[0] + in[1]) / 2);
        radius = fmin(radius, fabs(out[0] + out[1]) / 2);
        fprintf(d->to, "L%.1f %.1fQ%.1f %.1f %.1f %.1f",
            points[i][0] - copysign(in[0] == 0 ? 0 : radius, in[0]),
            points[i][1] - copysign(in[1] == 0 ? 0 : radius, in[1]),
            points[i][0], points[i][1],
            points[i][0] + copysign(out[0] == 0 ? 0 : radius, out[0]),
            points[i][1] + copysign(out[1] == 0 ? 0 : radius, out[1]));
    }
    fprintf(
        d->to, "L%.1f %.1f\"/>", points[count - 1][0], points[count - 1][1]);
}

/* Returns the height at which a link reaches a leaf; it depends on the kind. */
static double entry_of(const struct drawing *d, const struct link *link)
{
    return d->boxes[link->to].y +
           ((int)link->kind - SVG_SHARED) * d->density.height / 4;
}

static void print_link_to_leaf(const struct drawing *d, const struct link *link)
{
    const struct box *from = &d->boxes[link->from];
    const struct box *to = &d->boxes[link->to];
    double y = entry_of(d, link);
    double end = d->line_ends[to->line];
    double points[][2] = { { from->x + from->width, from->y },
        { link->x, from->y }, { link->x, y }, { end + HEAD, y } };
    print_line(d, link->kind, points, 4);
    fprintf(d->to, "<path class=\"b%d\" d=\"M%.1f %.1fl%d -3v6z\"/>\n",
        (int)link->kind, end, y, HEAD + 1);
}

/* Prints a link. It ends at the upper side of a box if it closes a cycle,
 * otherwise at the lower side. */
static void print_link(const struct drawing *d, const struct link *link)
{
    const struct box *from = &d->boxes[link->from];
    const struct box *to = &d->boxes[link->to];
    double side = link->kind == SVG_CYCLE ? -1 : 1;
    double edge = to->y + side * d->density.height / 2;
    double beside = edge + side * d->density.gap / 2;
    double x = to->x + to->width * 0.8;
    if (to->last_child == NO_BOX) {
        print_link_to_leaf(d, link);
        return;
    }
    double points[][2] = { { from->x + from->width, from->y },
        { link->x, from->y }, { link->x, beside }, { x, beside }, { x, edge } };
    print_line(d, link->kind, points, 5);
    fprintf(d->to, "<path class=\"b%d\" d=\"M%.1f %.1fl-3 %.1fh6z\"/>\n",
        (int)link->kind, x, edge, side * fmin(HEAD, d->density.gap));
}

/* Prints a trunk with a branch to each variable. */
static void print_fan(
    const struct drawing *d, const struct link *links, size_t size)
{
    const struct box *from = &d->boxes[links->from];
    double top = from->y;
    double bottom = from->y;
    for (size_t i = 0; i < size; i++) {
        double y = entry_of(d, &links[i]);
        top = fmin(top, y);
        bottom = fmax(bottom, y);
    }
    fprintf(d->to, "<path class=\"a%d\" d=\"M%.1f %.1fH%.1fM%.1f %.1fV%.1f",
        (int)links->kind, from->x + from->width, from->y, links->x, links->x,
        top, bottom);
    for (size_t i = 0; i < size; i++) {
        const struct box *to = &d->boxes[links[i].to];
        fprintf(d->to, "M%.1f %.1fH%.1f", links->x, entry_of(d, &links[i]),
            d->line_ends[to->line] + HEAD);
    }
    fprintf(d->to, "\"/><path class=\"b%d\" d=\"", (int)links->kind);
    for (size_t i = 0; i < size; i++) {
        const struct box *to = &d->boxes[links[i].to];
        fprintf(d->to, "M%.1f %.1fl%d -3v6z", d->line_ends[to->line],
            entry_of(d, &links[i]), HEAD + 1);
    }
    fputs("\"/>\n", d->to);
}

void drawing_print_links(const struct drawing *d)
{
    for (size_t i = 0; i < d->link_count;) {
        size_t size = fan_size(d, i);
        if (is_fan(d, &d->links[i]))
            print_fan(d, &d->links[i], size);
        else
            print_link(d, &d->links[i]);
        i += size;
    }
}
