/* container.h - lists: edges whose names are positions.
 *
 * Everything about lists is public (varve/graph.h); a dict is an object whose
 * kind says that its names are keys.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_CONTAINER_H
#define VV_CONTAINER_H

#include <varve/graph.h>

#include "node.h"

/* The edge at a position of a list, or NULL. */
struct vv_edge *vv_list_edge(const varve_node *list, uint64_t index);

#endif
