/* places.h - Determines the place of each node of a saved graph in its tree:
 * the parent and the edge.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_PLACES_H
#define TOOL_PLACES_H

#include "outline.h"

/* Reaches all nodes from the root, breadth first; nodes that only slots lead to
 * are last. In a folded outline, edges with numeric names lead only to
 * variables without any other edge. */
void places_find(struct outline *outline);

/* Returns true if a name is a number. */
bool place_is_number(const char *name);

#endif
