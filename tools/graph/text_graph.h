/* text_graph.h - graphs as text for other programs: what all of them say, in
 * which order. How they say it is a language.
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
    const uint32_t *components; /* of cycles.h, if the language asks for them */
    FILE *to;
};

/* Nodes are called n and their number; all slots of an owner, where they are
 * one node, s and the number of that. */
struct text_language {
    /* What a node says, behind its name. */
    void (*print_words)(
        const char *name, const char *note, unsigned look, FILE *to);

    /* An edge from an owner to its slots (OUTLINE_NONE), or from these to a
     * variable. */
    void (*print_folded)(uint32_t owner, uint32_t variable, FILE *to);

    /* An edge, and of a slot the one to its variable. False without memory. */
    bool (*print_edge)(const struct text_graph *graph, uint32_t from,
        const struct branch *branch);
};

/* All nodes, then all edges. False without memory. */
bool text_graph_print(const struct text_graph *graph);

#endif
