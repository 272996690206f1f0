/* node.c - making, removing and naming nodes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "node.h"

#include <string.h>

#include "attachment.h"
#include "edge.h"
#include "graph.h"
#include "slot.h"
#include "sweep.h"
#include "variable.h"

/* --- Nodes -------------------------------------------------------------- */

static void link_to_all(varve_node *node)
{
    varve_graph *graph = node->graph;
    node->newer = 0;
    node->older = graph->newest_node;
    if (node->older)
        vv_older_node(node)->newer = node->number + 1;
    graph->newest_node = node->number + 1;
}

static void unlink_from_all(varve_node *node)
{
    if (node->older)
        vv_older_node(node)->newer = node->newer;
    if (node->newer)
        vv_newer_node(node)->older = node->older;
    else
        node->graph->newest_node = node->older;
}

varve_node *vv_node_new(varve_graph *graph, varve_kind kind)
{
    uint32_t number;
    varve_node *node = vv_shelf_take(&graph->nodes, &number);
    if (!node)
        return vv_memory_mistake(graph);
    node->graph = graph;
    node->kind = (uint8_t)kind;
    node->number = number - 1;
    if (number > graph->number_limit)
        graph->number_limit = number;
    link_to_all(node);
    return node;
}

void vv_node_free(varve_node *node)
{
    varve_graph *graph = node->graph;
    if (node->variable)
        vv_variable_clear(node);
    vv_attachments_drop(node);
    unlink_from_all(node);
    vv_shelf_give(&graph->nodes, node->number + 1);
}

/* Nodes that are to be freed wait in a list of their own, linked as that of all
 * is, so that a deep graph needs no stack. */
struct removal {
    varve_node *first;
};

static void take_aside(struct removal *removal, varve_node *node)
{
    if (node->is_listed)
        return;
    node->is_listed = true;
    unlink_from_all(node);
    node->older = removal->first ? removal->first->number + 1 : 0;
    removal->first = node;
}

static bool is_held(const varve_node *node)
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
        if (!is_held(child))
            take_aside(removal, child);
    }
    if (vv_as_slot(node))
        vv_slot_remove(vv_as_slot(node));
}

static void remove_edges(struct removal *removal, varve_node *node)
{
    while (node->first_edge) {
        varve_node *child = vv_first_edge(node)->public.node;
        vv_edge_remove(vv_first_edge(node));
        if (!is_held(child))
            take_aside(removal, child);
    }
}

/* An edge that leads to the node from a list takes the place's number with it;
 * the others move up. */
static void remove_incoming(varve_node *node)
{
    while (node->first_in)
        vv_edge_untrack(vv_first_in(node));
}

void varve_remove(varve_node *node)
{
    node = vv_or_nil(node);
    varve_graph *graph = node->graph;
    struct removal removal = { NULL };
    if (vv_is_nil(node))
        return;
    if (node == graph->root) {
        vv_mistake(graph, VARVE_MISUSE, "the root cannot be removed");
        return;
    }
    if (!vv_graph_may_change(node, VV_HOLDS_NODES))
        return;
    remove_incoming(node);
    take_aside(&removal, node);
    while (removal.first) {
        varve_node *next = removal.first;
        removal.first = vv_older_node(next);
        /* Back into the list of all, from which it is freed. */
        link_to_all(next);
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

/* --- What the program calls --------------------------------------------- */

static varve_node *add_child(
    varve_node *parent, const char *name, varve_kind kind)
{
    parent = vv_or_nil(parent);
    if (!vv_node_takes_children(parent, name))
        return &parent->graph->nil;
    return vv_edge_attach(parent, name, vv_node_new(parent->graph, kind));
}

varve_node *varve_add_object(varve_node *parent, const char *name)
{
    return add_child(parent, name, VARVE_OBJECT);
}

varve_node *varve_add_list(varve_node *parent, const char *name)
{
    return add_child(parent, name, VARVE_LIST);
}

varve_node *varve_add_dict(varve_node *parent, const char *name)
{
    return add_child(parent, name, VARVE_DICT);
}

varve_node *varve_add_detached(varve_graph *graph)
{
    graph = vv_graph_given(graph);
    if (vv_is_nil(graph->root))
        return graph->root;
    return vv_node_new(graph, VARVE_OBJECT);
}

varve_kind varve_node_kind(const varve_node *node)
{
    node = vv_or_nil(node);
    return (varve_kind)node->kind;
}

varve_graph *varve_node_graph(varve_node *node)
{
    node = vv_or_nil(node);
    return node->graph;
}

void vv_node_notify_changed(varve_node *node)
{
    for (struct vv_observer *o = node->graph->newest; o; o = o->older) {
        if (o->node_changed)
            o->node_changed(o, node);
    }
}

/* --- For people --------------------------------------------------------- */

/* Text that is written from its end; what does not fit begins with "...". */
struct text {
    char *begin;
    char *at;
    bool is_full;
};

static void put_before(struct text *text, const char *bytes, size_t size)
{
    if (text->is_full)
        return;
    text->is_full = size + 4 > (size_t)(text->at - text->begin);
    if (text->is_full) {
        bytes = "...";
        size = 3;
    }
    text->at -= size;
    memcpy(text->at, bytes, size);
}

/* Where a path begins: at the root, even if an edge leads back to it. */
static bool is_top(const varve_node *node)
{
    return !node->first_in || node == node->graph->root;
}

/* Puts the path of a node along its oldest edges before the text. */
static void put_path(struct text *text, const varve_node *node)
{
    for (int i = 0; !is_top(node) && !text->is_full && i < 64; i++) {
        const struct vv_edge *edge = vv_first_in(node);
        put_before(text, edge->public.name, vv_edge_name(edge)->size);
        node = edge->parent;
        if (!is_top(node))
            put_before(text, "/", 1);
    }
}

const char *vv_node_text(const varve_node *node, char *text, size_t size)
{
    struct text t = { text, text + size - 1, false };
    const struct vv_slot *slot = vv_as_slot(node);
    *t.at = '\0';
    if (slot && !node->first_in) {
        put_before(&t, ")", 1);
        put_path(&t, slot->public.variable);
        put_before(&t, "(", 1);
        put_before(&t, slot->name->bytes, slot->name->size);
        if (!is_top(slot->owner))
            put_before(&t, "/", 1);
        put_path(&t, slot->owner);
    } else {
        put_path(&t, node);
    }
    return *t.at ? t.at : "(root)";
}
