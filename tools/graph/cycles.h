/* cycles.h - Finds the strongly connected components of the saved graph.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_CYCLES_H
#define TOOL_CYCLES_H

#include "outline.h"

/* Returns the component number of each node, by ID, to be freed; NULL if there
 * is no memory. Two nodes with the same number are on a cycle of edges. Slots
 * are not counted as edges. Time and memory are O(nodes + edges). */
uint32_t *cycles_find(const struct outline *outline);

#endif
