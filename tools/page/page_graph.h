/* page_graph.h - Prints the saved graph as JSON columns.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_PAGE_GRAPH_H
#define TOOL_PAGE_GRAPH_H

#include <stdio.h>

#include <varve/reader.h>

/* Print members of an object, each followed by a comma: properties of the file,
 * then nodes, edges, slots, tags, global names and values. The columns are
 * those of docs/format.md, with counts of edges instead of ends. */
void page_print_file(FILE *to, const varve_reader *reader);
void page_print_graph(FILE *to, const varve_reader *reader);

#endif
