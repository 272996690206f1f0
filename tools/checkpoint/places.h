/* places.h - where the nodes of a saved graph stand in its tree: below which
 * parent, by which edge.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_PLACES_H
#define TOOL_PLACES_H

#include "outline.h"

/* Reaches all nodes from the root, breadth first; what only slots lead to comes
 * last. In an outline that folds, edges whose names are but numbers lead to
 * variables only where no other does. */
void places_find(struct outline *outline);

/* Whether a name is but a number. */
bool place_is_number(const char *name);

#endif
