/* container.h - Implements lists, whose edge names are positions.
 *
 * All functions for lists are public (varve/graph.h). A dict is an object of
 * another kind, whose names are keys.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_CONTAINER_H
#define VV_CONTAINER_H

#include <varve/graph.h>

#include "node.h"

/* Returns the edge at a position of a list, or NULL. */
struct vv_edge *vv_list_edge(const varve_node *list, uint64_t index);

#endif
