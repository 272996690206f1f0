/* graphs.h - what two checkpoints have not in common besides their values.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_GRAPHS_H
#define TOOL_GRAPHS_H

#include "side.h"

enum { NOTE_SIZE = 400 };

/* Whether kinds, tags, names and sharing of the two can be compared: their
 * formats hold the same of them. */
bool graphs_are_comparable(const struct side *a, const struct side *b);

/* Writes what differs of two nodes, but for their values, into `note`; false
 * where nothing does. */
bool nodes_differ(const struct side *a, const varve_saved_node *x,
    const struct side *b, const varve_saved_node *y, char note[NOTE_SIZE]);

/* Calls with each named thing of the metadata that differs, and how. */
typedef void on_metadata(void *user, const char *name, const char *note);
void metadata_differences(
    const struct side *a, const struct side *b, on_metadata *call, void *user);

#endif
