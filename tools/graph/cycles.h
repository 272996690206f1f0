/* cycles.h - which nodes of the saved graph can reach each other.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_CYCLES_H
#define TOOL_CYCLES_H

#include "outline.h"

/* The number of the strongly connected component of each node, by id, to be
 * freed; NULL without memory. Two nodes of the same number lie on a cycle of
 * edges. Slots count as none. Time and memory O(nodes + edges). */
uint32_t *cycles_find(const struct outline *outline);

#endif
