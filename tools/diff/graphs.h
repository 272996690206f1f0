/* graphs.h - Compares two checkpoints apart from their values.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_GRAPHS_H
#define TOOL_GRAPHS_H

#include "side.h"

enum { NOTE_SIZE = 400 };

/* Returns true if kinds, tags, names and sharing can be compared, because both
 * formats store the same of them. */
bool graphs_are_comparable(const struct side *a, const struct side *b);

/* Writes the differences of two nodes, except their values, into `note`.
 * Returns false if there is none. */
bool nodes_differ(const struct side *a, const varve_saved_node *x,
    const struct side *b, const varve_saved_node *y, char note[NOTE_SIZE]);

/* Calls `call` for each metadata item that differs. */
typedef void on_metadata(void *user, const char *name, const char *note);
void metadata_differences(
    const struct side *a, const struct side *b, on_metadata *call, void *user);

#endif
