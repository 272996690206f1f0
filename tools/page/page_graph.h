/* page_graph.h - the saved graph as columns of JSON.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_PAGE_GRAPH_H
#define TOOL_PAGE_GRAPH_H

#include <stdio.h>

#include <varve/reader.h>

/* The members of an object, each with a comma behind it: what is known of the
 * file, then nodes, edges, slots, tags, global names and values, as docs/
 * format.md has their columns, with counts of edges in the place of ends. */
void page_print_file(FILE *to, const varve_reader *reader);
void page_print_graph(FILE *to, const varve_reader *reader);

#endif
