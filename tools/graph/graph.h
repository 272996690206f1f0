/* graph.h - the pictures that graph can draw.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_GRAPH_H
#define TOOL_GRAPH_H

#include <stdio.h>

#include "outline.h"
#include "settings.h"

/* Each draws to a stream; false without memory. */
bool graph_dot(
    const struct settings *settings, const struct outline *outline, FILE *to);
bool graph_mermaid(
    const struct settings *settings, const struct outline *outline, FILE *to);
bool graph_json(const struct outline *outline, FILE *to);
bool graph_tree(
    const struct settings *settings, const struct outline *outline, FILE *to);
bool graph_icicle(
    const struct settings *settings, const struct outline *outline, FILE *to);

#endif
