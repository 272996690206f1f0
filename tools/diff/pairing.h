/* pairing.h - Finds the corresponding paths of two checkpoints.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_PAIRING_H
#define TOOL_PAIRING_H

#include "side.h"

/* Pairs the entries of two sides with equal paths, using their keys. Also pairs
 * an entry that has no counterpart with the node that an alias with its path
 * leads to. Takes O(n log n) time. */
void pair_sides(struct side *a, struct side *b);

#endif
