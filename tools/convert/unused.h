/* unused.h - the patterns of --only and --except that no path matched.
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

/* Those of a graph that was made from a file, below a node of it. */
varve_status unused_find(struct unused *unused, varve_node *root,
    const char *file, const varve_read_options *options, varve_error *error);
void unused_clear(struct unused *unused);

/* A warning for each. */
void unused_warn(const struct settings *settings, const struct unused *unused);

/* Complains that nothing is left, and of each. */
int unused_complain(
    const struct settings *settings, const struct unused *unused);

#endif
