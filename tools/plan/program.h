/* program.h - the graph of a program, as a checkpoint of it or a text tells:
 * every node with its type and shape, and no memory for values.
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
    char *format; /* of what tells: "varve" and so on, or "listing" */
    char *file;
    char *path; /* of the node that is its root; "" */
};

/* Reads `argument`: FILE or FILE:PATH of a checkpoint, or a text with a line
 * for each value (listing.h). An outcome other than OUTCOME_DONE has been
 * complained of. program_clear in any case. */
int program_open(const struct settings *settings, const char *argument,
    struct program *program);
void program_clear(struct program *program);

/* Adds what has a value to a node of such a graph; of `tensor` NULL a state. */
varve_node *program_add(
    varve_node *parent, const char *name, const varve_tensor *tensor);
varve_node *program_add_slot(varve_node *owner, varve_node *variable,
    const char *name, const varve_tensor *tensor);

#endif
