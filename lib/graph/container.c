/* container.c - Implements lists. An insertion moves children along the edges.
 * A removal removes an edge, and the edges after it get other names later (see
 * vv_edge_close_gaps).
 *
 * SPDX-License-Identifier: MIT
 */
#include "container.h"

#include <string.h>

#include "allocator.h"
#include "edge.h"
#include "graph.h"
#include "removal.h"

struct vv_edge *vv_list_edge(const varve_node *list, uint64_t index)
{
    return vv_edge_named(vv_edge_at(list, index));
}

/* Returns true if `list` is a list with this position. Otherwise it records an
 * error. */
static bool has_position(varve_node *list, size_t index, size_t limit)
{
    char text[256];
    if (vv_is_nil(list)) {
        vv_graph_note_lost(list->graph, "changing a list", NULL);
        vv_graph_nil_error(list->graph);
        return false;
    }
    if (list->kind != VARVE_LIST) {
        vv_graph_error(list->graph, VARVE_MISUSE, "%s: not a list",
            vv_node_text(list, text, sizeof text));
        return false;
    }
    if (index >= limit) {
        vv_graph_error(list->graph, VARVE_MISUSE,
            "%s: the position must be below %zu, found %zu",
            vv_node_text(list, text, sizeof text), limit, index);
        return false;
    }
    return true;
}

varve_node *varve_list_append(varve_node *list, varve_node *node)
{
    list = vv_or_nil(list);
    node = vv_or_nil(node);
    if (!has_position(list, 0, 1) || !vv_edge_add(list, VARVE_APPEND, node))
        return &list->graph->nil;
    return node;
}

varve_node *varve_list_insert(varve_node *list, size_t index, varve_node *node)
{
    list = vv_or_nil(list);
    node = vv_or_nil(node);
    if (!has_position(list, index, (size_t)list->edge_count + 1) ||
        !vv_graph_may_change(list, VV_HOLDS_EDGES))
        return &list->graph->nil;
    if (list->is_gapped)
        vv_edge_close_gaps(list);
    struct vv_edge *edge = vv_edge_add_quietly(list, VARVE_APPEND, node);
    if (!edge)
        return &list->graph->nil;
    bool is_last = index + 1 == list->edge_count;
    for (size_t i = list->edge_count - 1; i > index;
         i--, edge = vv_previous_edge(edge))
        vv_edge_set_child(edge, vv_previous_edge(edge)->public.node);
    vv_edge_set_child(edge, node);
    vv_edge_notify(edge);
    if (!is_last)
        vv_edge_notify_moved(list);
    return node;
}

varve_node *varve_list_replace(varve_node *list, size_t index, varve_node *node)
{
    list = vv_or_nil(list);
    node = vv_or_nil(node);
    if (!has_position(list, index, list->edge_count))
        return &list->graph->nil;
    return varve_replace(list, vv_list_edge(list, index)->public.name, node);
}

void varve_list_remove(varve_node *list, size_t index)
{
    list = vv_or_nil(list);
    if (!has_position(list, index, list->edge_count) ||
        !vv_graph_may_change(list, VV_HOLDS_EDGES))
        return;
    vv_edge_untrack(vv_edge_at(list, index));
    vv_sweep_names(list->graph);
}

/* Returns the children in their new order, or NULL if `order` is not a
 * permutation. */
static varve_node **reordered(
    varve_node *list, const size_t *order, varve_node **old, varve_node **new)
{
    size_t count = list->edge_count;
    size_t i = 0;
    for (struct vv_edge *e = vv_first_edge(list); e; e = vv_next_edge(e))
        old[i++] = e->public.node;
    for (i = 0; i < count; i++) {
        if (order[i] >= count || !old[order[i]])
            return NULL;
        new[i] = old[order[i]];
        old[order[i]] = NULL;
    }
    return new;
}

void varve_list_reorder(varve_node *list, const size_t *order, size_t count)
{
    list = vv_or_nil(list);
    char text[256];
    if (!has_position(list, 0, 1) || (count == 0 && list->edge_count == 0) ||
        !vv_graph_may_change(list, VV_HOLDS_EDGES))
        return;
    const varve_allocator *a = &list->graph->context.allocator;
    size_t all = list->edge_count;
    varve_node **nodes = vv_allocate_array(a, 2 * all, sizeof *nodes);
    if (all && !nodes) {
        vv_graph_memory_error(list->graph);
        return;
    }
    /* The second half receives the new order. Nothing changes unless it is a
     * permutation. */
    bool is_order = count == all && reordered(list, order, nodes, nodes + all);
    if (is_order) {
        size_t i = all;
        for (struct vv_edge *e = vv_first_edge(list); e; e = vv_next_edge(e))
            vv_edge_set_child(e, nodes[i++]);
    } else {
        vv_graph_error(list->graph, VARVE_MISUSE,
            "%s: the order must have each position below %zu exactly once",
            vv_node_text(list, text, sizeof text), all);
    }
    vv_release(a, nodes, 2 * all * sizeof *nodes);
    if (is_order)
        vv_edge_notify_moved(list);
}

varve_node *varve_list_at(varve_node *list, size_t index)
{
    list = vv_or_nil(list);
    if (list->kind != VARVE_LIST || index >= list->edge_count)
        return NULL;
    return vv_edge_at(list, index)->public.node;
}
