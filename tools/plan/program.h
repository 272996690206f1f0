/* program.h - The graph of a program, made from a checkpoint or a text: every
 * node with type and shape, without memory for values.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_PROGRAM_H
#define TOOL_PROGRAM_H

#include <varve/graph.h>
#include <varve/tensor.h>

#include "settings.h"

struct program {
    varve_graph *graph;
    char *format; /* of the description: "varve" and so on, or "listing" */
    char *file;
    char *path; /* path of its root node; or "" */
};

/* Reads `argument`: FILE or FILE:PATH of a checkpoint, or a text with a line
 * for each value (listing.h). If the result is not OUTCOME_DONE, an error was
 * printed. Call program_clear in any case. */
int program_open(const struct settings *settings, const char *argument,
    struct program *program);
void program_clear(struct program *program);

/* Adds a variable or, if `tensor` is NULL, a state to a node of the graph. */
varve_node *program_add(
    varve_node *parent, const char *name, const varve_tensor *tensor);
varve_node *program_add_slot(varve_node *owner, varve_node *variable,
    const char *name, const varve_tensor *tensor);

#endif
