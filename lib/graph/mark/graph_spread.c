/* graph_spread.c - Evaluates patterns along the edges of a graph, and from
 * owners and variables to slots.
 *
 * SPDX-License-Identifier: MIT
 */
#include "edge.h"
#include "graph_spread.h"

#include "graph.h"
#include "name.h"
#include "try.h"
#include "walk.h"

/* --- Forward ------------------------------------------------------------ */

static void graph_spread_follow_edge(
    struct vv_spread *s, uint32_t pair, const struct vv_edge *edge)
{
    uint32_t child = edge->public.node->number;
    if (vv_spread_leads_back(s, edge->parent->number, child))
        return;
    vv_spread_add(s, child,
        vv_automaton_step(&s->automaton, s->pairs[pair].state,
            edge->public.name, vv_edge_name(edge)->size),
        edge->public.node,
        (struct vv_spread_step){ .from = pair + 1, .step = edge });
}

static void graph_spread_follow_slot(struct vv_spread *s, uint32_t owner,
    uint32_t variable, const struct vv_slot *slot)
{
    vv_spread_add(s, slot->public.node->number,
        vv_automaton_slot(&s->automaton, s->pairs[owner].state,
            s->pairs[variable].state, slot->name->bytes, slot->name->size),
        slot->public.node,
        (struct vv_spread_step){
            .from = owner + 1, .variable = variable + 1, .step = slot });
}

static void graph_spread_go_on(struct vv_spread *s)
{
    uint32_t pair;
    while (vv_spread_next(s, &pair)) {
        varve_node *node = s->pairs[pair].object;
        for (struct vv_edge *e = vv_first_edge(node); e; e = vv_next_edge(e))
            graph_spread_follow_edge(s, pair, e);
        /* The path of a slot needs a pair of its owner and one of its variable.
         * The one that is visited later finds the other, so both sides are
         * searched. */
        struct vv_slot *slot = vv_slot_first_of(node);
        for (; slot; slot = slot->next) {
            uint32_t i = vv_spread_first(s, slot->public.variable->number);
            for (; i; i = s->pairs[i - 1].next)
                graph_spread_follow_slot(s, pair, i - 1, slot);
        }
        slot = vv_first_slot_for(node);
        for (; slot; slot = slot->next_on) {
            uint32_t i = vv_spread_first(s, slot->owner->number);
            for (; i; i = s->pairs[i - 1].next)
                graph_spread_follow_slot(s, i - 1, pair, slot);
        }
    }
}

/* Makes the order of places independent of the order in which the graph was
 * built. */
static varve_status graph_spread_place_all(
    struct vv_spread *s, varve_node *root, varve_error *error)
{
    struct vv_walk walk;
    VV_TRY(vv_walk_begin(&walk, root, error));
    vv_spread_place(s, root->number, root->number);
    for (size_t i = 1; i < walk.count; i++) {
        const struct vv_step *step = &walk.steps[i];
        vv_spread_place(s, step->node->number,
            step->edge ? step->edge->parent->number
                       : step->slot->owner->number);
    }
    vv_walk_end(&walk);
    return VARVE_OK;
}

varve_status vv_graph_spread_begin(struct vv_spread *s,
    const varve_allocator *allocator, varve_node *root, const char *patterns,
    varve_error *error)
{
    VV_TRY(vv_spread_begin(s, allocator, patterns, error));
    varve_status status = graph_spread_place_all(s, root, error);
    if (status) {
        vv_spread_end(s);
        return status;
    }
    vv_spread_add(s, root->number, s->automaton.start, root,
        (struct vv_spread_step){ .from = 0 });
    graph_spread_go_on(s);
    status = vv_automaton_fail(&s->automaton, error);
    if (status)
        vv_spread_end(s);
    return status;
}

void vv_graph_spread_edge(struct vv_spread *s, struct vv_edge *edge)
{
    uint32_t i = vv_spread_first(s, edge->parent->number);
    for (; i; i = s->pairs[i - 1].next)
        graph_spread_follow_edge(s, i - 1, edge);
    graph_spread_go_on(s);
}

void vv_graph_spread_slot(struct vv_spread *s, struct vv_slot *slot)
{
    uint32_t i = vv_spread_first(s, slot->owner->number);
    for (; i; i = s->pairs[i - 1].next) {
        uint32_t k = vv_spread_first(s, slot->public.variable->number);
        for (; k; k = s->pairs[k - 1].next)
            graph_spread_follow_slot(s, i - 1, k - 1, slot);
    }
    graph_spread_go_on(s);
}

/* --- Back --------------------------------------------------------------- */

static struct vv_text graph_spread_name_of(
    const void *graph, const struct vv_spread_step *way)
{
    (void)graph;
    const struct vv_name *name = way->variable
                                     ? ((const struct vv_slot *)way->step)->name
                                     : vv_edge_name(way->step);
    return (struct vv_text){ name->bytes, name->size };
}

void vv_graph_spread_path(const struct vv_spread *spread, uint32_t pair,
    size_t longest, struct vv_buffer *path)
{
    struct vv_spread_text text = { spread, graph_spread_name_of, NULL, longest,
        path };
    vv_spread_path(&text, pair);
}
