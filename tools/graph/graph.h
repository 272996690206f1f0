/* graph.h - The output formats of varve graph.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_GRAPH_H
#define TOOL_GRAPH_H

#include <stdio.h>

#include "outline.h"
#include "settings.h"

/* Each function draws to a stream; returns false if there is no memory. */
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
