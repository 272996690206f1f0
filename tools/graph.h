/* graph.h - the pictures that graph can draw.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_GRAPH_H
#define TOOL_GRAPH_H

#include <stdio.h>

#include "command.h"
#include "outline.h"

/* Each draws to a stream; false without memory. */
bool graph_dot(
    const struct settings *settings, const struct outline *outline, FILE *to);
bool graph_json(
    const struct settings *settings, const struct outline *outline, FILE *to);
bool graph_tree(
    const struct settings *settings, const struct outline *outline, FILE *to);
bool graph_icicle(
    const struct settings *settings, const struct outline *outline, FILE *to);

/* Whether a node is in the picture: selected, and not too deep. */
bool graph_has(const struct settings *settings, const struct outline *outline,
    uint32_t node);

#endif
