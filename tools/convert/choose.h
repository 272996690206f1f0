/* choose.h - what --only and --except leave of a graph.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_CHOOSE_H
#define TOOL_CHOOSE_H

#include "arrange.h"

/* Whether --only and --except select a path of the source. */
bool is_chosen(const struct arrangement *a, const char *path);

/* Marks what is kept: the values that are selected and the objects above them,
 * and objects that are selected. Slots of which the owner or the variable is
 * left out are losses. */
int choose(struct arrangement *a);

#endif
