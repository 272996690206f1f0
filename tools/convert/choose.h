/* choose.h - Applies --only and --except to a graph.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_CHOOSE_H
#define TOOL_CHOOSE_H

#include "arrange.h"

/* Returns true if --only and --except select a path of the source. */
bool is_chosen(const struct arrangement *a, const char *path);

/* Marks the nodes to keep: the selected values and objects, and the objects
 * above selected values. Slots whose owner or variable is not kept are reported
 * as losses. */
int choose(struct arrangement *a);

#endif
