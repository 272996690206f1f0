/* lineage_graph.h - draws which checkpoint was resumed from which, as lines of
 * text: a column for each lineage, the newest first.
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
    const char *parent; /* its id; NULL: none */
};

/* Called for each line: the node that it is of, and what is drawn before its
 * label; or LINEAGE_NONE, of a line that only joins columns. */
#define LINEAGE_NONE SIZE_MAX
typedef void lineage_line(void *user, const char *drawn, size_t node);

/* Draws nodes, of which the newest come first. Their order is kept, but for a
 * node that comes before a child of it: that is drawn behind the child. Nodes
 * of one id are copies, and are drawn in one column. A parent that is no node
 * is none; in a circle of parents one edge is left out. */
void lineage_graph_draw(const struct lineage_node *nodes, size_t count,
    bool utf8, lineage_line *line, void *user);

#endif
