/* unused.h - Finds patterns of --only and --except that match no path.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_UNUSED_H
#define TOOL_UNUSED_H

#include <varve/checkpoint.h>

#include "settings.h"

struct unused_pattern {
    const char *option;
    char *pattern;
    char *nearest; /* NULL: there is none */
};

struct unused {
    struct unused_pattern *items;
    size_t count, capacity;
};

/* Finds them for a graph that was made from a file, below a node. */
varve_status unused_find(struct unused *unused, varve_node *root,
    const char *file, const varve_read_options *options, varve_error *error);
void unused_clear(struct unused *unused);

/* Prints a warning for each. */
void unused_warn(const struct settings *settings, const struct unused *unused);

/* Prints an error that nothing is left, with each pattern. */
int unused_complain(
    const struct settings *settings, const struct unused *unused);

#endif
