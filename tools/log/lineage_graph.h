/* lineage_graph.h - Draws as text which checkpoint was resumed from which: a
 * column for each lineage, newest first.
 *
 *     *          b-7
 *     | *        a-6
 *     |/
 *     *          a-5
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_LINEAGE_GRAPH_H
#define TOOL_LINEAGE_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lineage_node {
    const char *id;
    const char *parent; /* its ID; NULL: none */
};

/* Called for each line with its node and the drawing to the left of its label,
 * or with LINEAGE_NONE for a line that only joins columns. */
#define LINEAGE_NONE SIZE_MAX
typedef void lineage_line(void *user, const char *drawn, size_t node);

/* Draws nodes, newest first. Keeps their order, except that a node is drawn
 * after its children. Nodes with the same ID are copies, and are drawn in one
 * column. A parent that is not in the list is ignored; in a cycle of parents
 * one edge is omitted. */
void lineage_graph_draw(const struct lineage_node *nodes, size_t count,
    bool utf8, lineage_line *line, void *user);

#endif
