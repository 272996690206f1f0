/* removal.c - Removes nodes, edges and names that are no longer used.
 *
 * SPDX-License-Identifier: MIT
 */
#include "removal.h"

#include <varve/graph.h>

#include "edge.h"
#include "graph.h"
#include "node.h"
#include "slot.h"

/* --- Names ---------------------------------------------------------------- */

/* Finds the names in use and frees the others. */

static size_t keep_names_of_node(const varve_node *node)
{
    size_t work = 1 + (size_t)node->edge_count;
    for (const struct vv_edge *e = vv_first_edge(node); e; e = vv_next_edge(e))
        vv_name_keep(vv_edge_name(e));
    return work + vv_attachments_keep_names(node);
}

static bool has_names_in_hand(const varve_graph *graph)
{
    const struct vv_observer *o = graph->newest;
    while (o && !(o->is_busy && o->is_busy(o)))
        o = o->older;
    return o || graph->held != VV_HOLDS_NOTHING;
}

void vv_sweep_names(varve_graph *graph)
{
    size_t work = 0;
    if (!vv_names_are_enough(&graph->names) || has_names_in_hand(graph))
        return;
    vv_names_sweep_begin(&graph->names);
    work += vv_attachments_keep_names(&graph->nil);
    for (const varve_node *n = vv_newest_node(graph); n; n = vv_older_node(n))
        work += keep_names_of_node(n);
    for (struct vv_observer *o = graph->newest; o; o = o->older) {
        if (o->names_swept)
            work += o->names_swept(o);
    }
    vv_names_sweep_end(&graph->names, work);
}

/* --- Nodes and edges ------------------------------------------------------ */

/* Removes nodes and edges, and nodes that become unreachable. */

/* The nodes that are to be freed are in a separate list, linked like the list
 * of all nodes, so that a deep graph needs no recursion. */
struct removal {
    varve_node *first;
};

static void take_aside(struct removal *removal, varve_node *node)
{
    if (node->is_listed)
        return;
    node->is_listed = true;
    vv_node_unlist(node);
    node->older = removal->first ? removal->first->number + 1 : 0;
    removal->first = node;
}

static bool removal_is_held(const varve_node *node)
{
    return node->first_in || vv_as_slot(node) || node == node->graph->root;
}

static void remove_slots(struct removal *removal, varve_node *node)
{
    struct vv_slot *slot;
    while (
        (slot = vv_slot_first_of(node)) || (slot = vv_first_slot_for(node))) {
        varve_node *child = slot->public.node;
        vv_slot_remove(slot);
        if (!removal_is_held(child))
            take_aside(removal, child);
    }
    if (vv_as_slot(node))
        vv_slot_remove(vv_as_slot(node));
}

static void remove_edges(struct removal *removal, varve_node *node)
{
    while (node->first_edge) {
        struct vv_edge *edge = vv_first_edge_as_is(node);
        varve_node *child = edge->public.node;
        vv_edge_remove(edge);
        if (!removal_is_held(child))
            take_aside(removal, child);
    }
}

/* Removes the edges to a node. In a list the elements behind it move up. */
static void remove_incoming(varve_node *node)
{
    while (node->first_in)
        vv_edge_untrack(vv_first_in_as_is(node));
}

void varve_remove(varve_node *node)
{
    node = vv_or_nil(node);
    varve_graph *graph = node->graph;
    struct removal removal = { NULL };
    if (vv_is_nil(node))
        return;
    if (node == graph->root) {
        vv_graph_error(graph, VARVE_MISUSE, "the root cannot be removed");
        return;
    }
    if (!vv_graph_may_change(node, VV_HOLDS_NODES))
        return;
    remove_incoming(node);
    take_aside(&removal, node);
    while (removal.first) {
        varve_node *next = removal.first;
        removal.first = vv_older_node(next);
        /* Moves the node back to the list of all nodes, from which it is freed.
         */
        vv_node_list(next);
        remove_slots(&removal, next);
        remove_edges(&removal, next);
        for (struct vv_observer *o = graph->newest; o; o = o->older) {
            if (o->node_removed)
                o->node_removed(o, next);
        }
        vv_node_free(next);
    }
    vv_sweep_names(graph);
}

void varve_untrack(varve_node *parent, const char *name)
{
    parent = vv_or_nil(parent);
    char text[256];
    struct vv_edge *edge = vv_edge_called(parent, name);
    if (vv_is_nil(parent))
        return;
    if (!edge) {
        vv_graph_error(parent->graph, VARVE_NOT_FOUND, "%s: no edge \"%.200s\"",
            vv_node_text(parent, text, sizeof text), name ? name : "");
        return;
    }
    if (!vv_graph_may_change(parent, VV_HOLDS_EDGES))
        return;
    vv_edge_untrack(edge);
    vv_sweep_names(parent->graph);
}
