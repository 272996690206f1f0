/* text_graph.h - Prints graphs as text for other programs. This part determines
 * content and order, a struct text_language the syntax.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_TEXT_GRAPH_H
#define TOOL_TEXT_GRAPH_H

#include <stdio.h>

#include "outline.h"

struct text_graph {
    const struct settings *settings;
    const struct outline *outline;
    const struct text_language *language;
    const uint32_t *components; /* from cycles.h, if the language needs them */
    FILE *to;
};

/* A node has the name n and its number. All slots of an owner, if they are one
 * node, have the name s and the owner's number. */
struct text_language {
    /* Prints the text of a node, after its name. */
    void (*print_words)(
        const char *name, const char *note, unsigned look, FILE *to);

    /* Prints an edge from an owner to its slots (OUTLINE_NONE), or from these
     * to a variable. */
    void (*print_folded)(uint32_t owner, uint32_t variable, FILE *to);

    /* Prints an edge and, for a slot, the edge to its variable. Returns false
     * if there is no memory. */
    bool (*print_edge)(const struct text_graph *graph, uint32_t from,
        const struct branch *branch);
};

/* Prints all nodes, then all edges. Returns false if there is no memory. */
bool text_graph_print(const struct text_graph *graph);

#endif
