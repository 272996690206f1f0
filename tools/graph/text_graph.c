/* text_graph.c - Prints nodes and edges in the order of the outline.
 *
 * SPDX-License-Identifier: MIT
 */
#include "text_graph.h"

#include <inttypes.h>
#include <stdlib.h>

#include "look.h"

static bool print_node(const struct text_graph *g, uint32_t id)
{
    char note[LOOK_TEXT_SIZE];
    char *name = node_name(g->outline, id);
    if (!name)
        return false;
    fprintf(g->to, "  n%" PRIu32, id);
    g->language->print_words(name, node_note(g->settings, g->outline, id, note),
        look_of(g->outline, id), g->to);
    free(name);
    if (look_folds_slots(g->outline, id)) {
        fprintf(g->to, "  s%" PRIu32, id);
        g->language->print_words("slots",
            slots_note(g->settings, g->outline, id, note), LOOK_SLOT, g->to);
    }
    return true;
}

/* Prints all slots of an owner as one node, with an edge to each variable. */
static void print_folded(const struct text_graph *g, uint32_t owner)
{
    struct branch branch;
    uint32_t last = OUTLINE_NONE;
    size_t i = outline_saved(g->outline, owner).edge_count;
    g->language->print_folded(owner, OUTLINE_NONE, g->to);
    for (; outline_branch(g->outline, owner, i, &branch); i++) {
        if (branch.variable != last && outline_has(g->outline, branch.variable))
            g->language->print_folded(owner, branch.variable, g->to);
        last = branch.variable;
    }
}

static bool print_edges(const struct text_graph *g, uint32_t from)
{
    struct branch branch;
    bool folds = look_folds_slots(g->outline, from);
    if (folds)
        print_folded(g, from);
    for (size_t i = 0; outline_branch(g->outline, from, i, &branch); i++) {
        if (folds && branch.variable != OUTLINE_NONE)
            break;
        if (outline_has(g->outline, branch.node) &&
            outline_shows(g->outline, from, &branch) &&
            !g->language->print_edge(g, from, &branch))
            return false;
    }
    return true;
}

bool text_graph_print(const struct text_graph *g)
{
    const struct outline *outline = g->outline;
    bool good = true;
    for (size_t i = 0; good && i < outline->reached; i++) {
        if (look_shows(outline, outline->order[i]))
            good = print_node(g, outline->order[i]);
    }
    for (size_t i = 0; good && i < outline->reached; i++) {
        if (look_shows(outline, outline->order[i]))
            good = print_edges(g, outline->order[i]);
    }
    return good;
}
