/* arrange.h - what --only, --except and --rename leave of a graph, and where.
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
    bool is_flat;      /* the destination knows values by one name each */
    bool is_from_flat; /* the source does */
};

/* Takes the rest out of the graph, and moves what is renamed. A list that loses
 * elements becomes an object, in which the others keep their names. */
int arrange_move(struct arrangement *a);

#endif
