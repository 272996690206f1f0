/* graph_spread.h - Evaluates patterns over every path of a graph, as described
 * in spread.h.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_GRAPH_SPREAD_H
#define VV_GRAPH_SPREAD_H

#include "node.h"
#include "slot.h"
#include "spread.h"

/* Evaluates patterns for everything reachable from `root`. The allocator is
 * borrowed. Returns VARVE_NO_MEMORY or VARVE_LIMIT; then nothing is allocated.
 */
varve_status vv_graph_spread_begin(struct vv_spread *spread,
    const varve_allocator *allocator, varve_node *root, const char *patterns,
    varve_error *error);

/* Continue from a new edge or slot if it is reachable. Failures are stored in
 * automaton.status. */
void vv_graph_spread_edge(struct vv_spread *spread, struct vv_edge *edge);
void vv_graph_spread_slot(struct vv_spread *spread, struct vv_slot *slot);

/* Sets `path` to the path of a pair, shortened to `longest` bytes. None of its
 * edges may have been removed. */
void vv_graph_spread_path(const struct vv_spread *spread, uint32_t pair,
    size_t longest, struct vv_buffer *path);

#endif
