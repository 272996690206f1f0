/* pairing.h - which path of one checkpoint is which of the other.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_PAIRING_H
#define TOOL_PAIRING_H

#include "side.h"

/* Pairs the entries of two sides that have the same path, once they have their
 * keys; and with what another way leads to in the other file, what that has
 * not as a path of its tree. In time n log n. */
void pair_sides(struct side *a, struct side *b);

#endif
