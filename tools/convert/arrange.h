/* arrange.h - Applies --only, --except and --rename to a graph.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_ARRANGE_H
#define TOOL_ARRANGE_H

#include "convert.h"
#include "losses.h"
#include "parts.h"
#include "unused.h"

struct arrangement {
    const struct settings *settings;
    const struct convert_options *options;
    struct parts *parts;
    struct renames *renames;
    struct losses *losses;
    const struct unused *unused;
    bool is_flat;      /* the destination stores values by a single name each */
    bool is_from_flat; /* the source does */
};

/* Removes the nodes that are not kept, and moves those that are renamed. A list
 * that loses elements becomes an object in which the others keep their
 * names. */
int arrange_move(struct arrangement *a);

#endif
