/* lineage_graph.c - Lays out a forest in columns, from the newest node down.
 *
 * A column belongs to the node to be drawn in it next: the parent of the last
 * one drawn. If several columns belong to the same node they are joined, the
 * rightmost first, so that no column moves. A column that has ended is reused
 * for the next lineage, after a line in which it is empty.
 *
 * SPDX-License-Identifier: MIT
 */
#include "lineage_graph.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

enum { FREE_COLUMN = -1 };

struct drawing {
    const struct lineage_node *nodes;
    size_t count;
    size_t *parents;  /* by node; LINEAGE_NONE: none */
    size_t *children; /* by node: number of children that are not drawn yet */
    bool *is_drawn;
    int64_t *columns; /* the next node of each, or FREE_COLUMN */
    size_t column_count;
    size_t column_room;
    size_t ended; /* the column that ended in the last line, or LINEAGE_NONE */
    char *text;
    bool utf8;
    lineage_line *line;
    void *user;
};

/* --- Parents ------------------------------------------------------------ */

struct named {
    const char *id;
    size_t node;
};

static int by_id(const void *left, const void *right)
{
    const struct named *a = left;
    const struct named *b = right;
    int order = strcmp(a->id, b->id);
    return order ? order : (a->node > b->node) - (a->node < b->node);
}

/* Returns the first of the nodes with an ID. */
static size_t find_node(const struct named *all, size_t count, const char *id)
{
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(all[middle].id, id) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && strcmp(all[low].id, id) == 0 ? all[low].node
                                                       : LINEAGE_NONE;
}

/* Finds the parents. The parent of a copy is the next copy; the last copy has
 * the actual parent. */
static void find_parents(struct drawing *d)
{
    struct named *all = memory_allocate(d->count, sizeof *all);
    for (size_t i = 0; i < d->count; i++)
        all[i] = (struct named){ .id = d->nodes[i].id, .node = i };
    if (d->count)
        qsort(all, d->count, sizeof *all, by_id);
    for (size_t i = 0; i < d->count; i++) {
        size_t node = all[i].node;
        bool has_copy =
            i + 1 < d->count && strcmp(all[i].id, all[i + 1].id) == 0;
        const char *parent = d->nodes[node].parent;
        d->parents[node] = has_copy ? all[i + 1].node
                           : parent && strcmp(parent, all[i].id) != 0
                               ? find_node(all, d->count, parent)
                               : LINEAGE_NONE;
        if (d->parents[node] != LINEAGE_NONE)
            d->children[d->parents[node]]++;
    }
    free(all);
}

/* --- Lines -------------------------------------------------------------- */

static void append(struct drawing *d, size_t *size, const char *text)
{
    size_t more = strlen(text);
    memcpy(d->text + *size, text, more + 1);
    *size += more;
}

/* Passes on a line without trailing spaces. */
static void give_line(struct drawing *d, size_t size, size_t node)
{
    while (size > 0 && d->text[size - 1] == ' ')
        size--;
    d->text[size] = '\0';
    d->line(d->user, d->text, node);
}

static const char *pipe_of(const struct drawing *d, size_t column)
{
    return d->columns[column] == FREE_COLUMN ? " " : d->utf8 ? "\u2502" : "|";
}

/* Draws a node; with LINEAGE_NONE only the columns. */
static void draw_node(struct drawing *d, size_t column, size_t node)
{
    size_t size = 0;
    d->text[0] = '\0';
    for (size_t i = 0; i < d->column_count; i++) {
        append(d, &size,
            i == column && node != LINEAGE_NONE ? "*" : pipe_of(d, i));
        append(d, &size, " ");
    }
    give_line(d, size, node);
}

/* Draws a line that joins column `from` to column `to` on its left, and frees
 * it. */
static void join(struct drawing *d, size_t to, size_t from)
{
    size_t size = 0;
    for (size_t i = 0; i < d->column_count; i++) {
        bool is_between = i > to && i < from;
        const char *pipe = pipe_of(d, i);
        if (i == from)
            pipe = d->utf8 ? "\u256f" : " ";
        else if (i == to)
            pipe = d->utf8 ? "\u251c" : "|";
        else if (is_between && d->utf8)
            pipe = d->columns[i] == FREE_COLUMN ? "\u2500" : "\u253c";
        else if (is_between && d->columns[i] == FREE_COLUMN)
            pipe = "_";
        append(d, &size, pipe);
        if (i < to || i >= from)
            append(d, &size, " ");
        else if (d->utf8)
            append(d, &size, "\u2500");
        else
            append(d, &size, i + 1 == from ? "/" : "_");
    }
    d->columns[from] = FREE_COLUMN;
    give_line(d, size, LINEAGE_NONE);
}

/* --- Columns ------------------------------------------------------------ */

static size_t add_column(struct drawing *d)
{
    d->columns = memory_grow(
        d->columns, &d->column_room, d->column_count, sizeof *d->columns);
    d->columns[d->column_count++] = FREE_COLUMN;
    free(d->text); /* two characters of up to 3 bytes for each column */
    d->text = memory_allocate(6 * d->column_count + 1, 1);
    return d->column_count - 1;
}

/* Joins all columns that belong to a node, and returns the leftmost; otherwise
 * returns a free one. */
static size_t column_for(struct drawing *d, size_t node)
{
    size_t right = LINEAGE_NONE;
    size_t unused = LINEAGE_NONE;
    for (size_t i = d->column_count; i-- > 0;) {
        if (d->columns[i] == FREE_COLUMN)
            unused = i;
        if (d->columns[i] != (int64_t)node)
            continue;
        if (right != LINEAGE_NONE)
            join(d, i, right);
        right = i;
    }
    if (right != LINEAGE_NONE)
        return right;
    return unused != LINEAGE_NONE ? unused : add_column(d);
}

static void draw(struct drawing *d, size_t node)
{
    size_t parent = d->parents[node];
    size_t column = column_for(d, node);
    d->is_drawn[node] = true;
    if (column == d->ended) /* separates two lineages */
        draw_node(d, column, LINEAGE_NONE);
    draw_node(d, column, node);
    bool goes_on = parent != LINEAGE_NONE && !d->is_drawn[parent];
    d->columns[column] = goes_on ? (int64_t)parent : FREE_COLUMN;
    d->ended = goes_on ? LINEAGE_NONE : column;
    if (goes_on)
        d->children[parent]--;
    while (
        d->column_count > 0 && d->columns[d->column_count - 1] == FREE_COLUMN)
        d->column_count--;
}

/* Returns the first node without children left to draw; in a cycle, the first
 * node. */
static size_t next_node(const struct drawing *d, size_t *cursor)
{
    size_t first = LINEAGE_NONE;
    for (size_t i = *cursor; i < d->count; i++) {
        if (d->is_drawn[i])
            continue;
        if (first == LINEAGE_NONE)
            *cursor = first = i;
        if (d->children[i] == 0)
            return i;
    }
    return first;
}

void lineage_graph_draw(const struct lineage_node *nodes, size_t count,
    bool utf8, lineage_line *line, void *user)
{
    struct drawing d = { .nodes = nodes,
        .count = count,
        .parents = memory_allocate(count, sizeof *d.parents),
        .children = memory_allocate(count, sizeof *d.children),
        .is_drawn = memory_allocate(count, sizeof *d.is_drawn),
        .ended = LINEAGE_NONE,
        .text = memory_allocate(1, 1),
        .utf8 = utf8,
        .line = line,
        .user = user };
    size_t cursor = 0;
    find_parents(&d);
    for (size_t i = 0; i < count; i++)
        draw(&d, next_node(&d, &cursor));
    free(d.parents);
    free(d.children);
    free(d.is_drawn);
    free(d.columns);
    free(d.text);
}
