/* page_graph.h - the saved graph as columns of JSON.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PAGE_GRAPH_H
#define VV_PAGE_GRAPH_H

#include "page_out.h"
#include "reader.h"

/* The members of an object, each with a comma behind it: what is known of the
 * file, then nodes, edges, slots, tags, global names and values, as docs/
 * format.md has their columns, with counts of edges in the place of ends. */
void vv_page_add_file(struct vv_page_out *out, const varve_reader *reader);
void vv_page_add_graph(struct vv_page_out *out, const varve_reader *reader);

#endif
