/* graph_spread.h - patterns over every path of the program's graph; spread.h
 * says what is kept.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_GRAPH_SPREAD_H
#define VV_GRAPH_SPREAD_H

#include "node.h"
#include "slot.h"
#include "spread.h"

/* Follows patterns along everything that can be reached from `root`, in memory
 * of `allocator`, which is borrowed. VARVE_NO_MEMORY or VARVE_LIMIT; nothing is
 * held then. */
varve_status vv_graph_spread_begin(struct vv_spread *spread,
    const varve_allocator *allocator, varve_node *root, const char *patterns,
    varve_error *error);

/* Goes on from a new edge or slot, unless nothing comes to it. A failure is in
 * automaton.status. */
void vv_graph_spread_edge(struct vv_spread *spread, struct vv_edge *edge);
void vv_graph_spread_slot(struct vv_spread *spread, struct vv_slot *slot);

/* Sets `path` to the path that led to a pair, shortened to `longest` bytes, as
 * long as none of its edges was removed. */
void vv_graph_spread_path(const struct vv_spread *spread, uint32_t pair,
    size_t longest, struct vv_buffer *path);

#endif
