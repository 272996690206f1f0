/* edge.h - what can be done with edges; node.h says what they are.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_EDGE_H
#define VV_EDGE_H

#include "graph.h"

/* The edges of a node in order of creation; those that lead to it, of which the
 * first is the oldest. NULL: none, or no more. */
static inline struct vv_edge *vv_first_edge(const varve_node *node)
{
    return vv_indexed_pool_at(&node->graph->edges, node->first_edge);
}

static inline struct vv_edge *vv_last_edge(const varve_node *node)
{
    const struct vv_edge *first = vv_first_edge(node);
    return first ? vv_indexed_pool_at(&node->graph->edges, first->previous)
                 : NULL;
}

static inline struct vv_edge *vv_next_edge(const struct vv_edge *edge)
{
    return vv_indexed_pool_at(&edge->parent->graph->edges, edge->next);
}

static inline struct vv_edge *vv_previous_edge(const struct vv_edge *edge)
{
    struct vv_edge *previous =
        vv_indexed_pool_at(&edge->parent->graph->edges, edge->previous);
    return previous->next ? previous : NULL;
}

static inline struct vv_edge *vv_first_in(const varve_node *node)
{
    return vv_indexed_pool_at(&node->graph->edges, node->first_in);
}

static inline struct vv_edge *vv_next_in(const struct vv_edge *edge)
{
    return vv_indexed_pool_at(&edge->parent->graph->edges, edge->next_in);
}

static inline struct vv_edge *vv_previous_in(const struct vv_edge *edge)
{
    return vv_indexed_pool_at(&edge->parent->graph->edges, edge->previous_in);
}

/* Whether the node can have children; if not, a mistake is remembered. */
bool vv_node_takes_children(varve_node *parent, const char *name);

/* Of an item of the graph's edge set. */
uint64_t vv_edge_hash(const void *edge);

/* The edge of that name, or NULL. */
struct vv_edge *vv_edge_find(
    const varve_node *parent, const struct vv_name *name);

struct vv_edge *vv_edge_called(const varve_node *parent, const char *name);

/* Adds an edge that is not there yet, and tells the observers. NULL after a
 * mistake. */
struct vv_edge *vv_edge_add(
    varve_node *parent, const char *name, varve_node *child);

/* Adds an edge to a new node, and gives the node. Where that fails, or the node
 * is nil, the node is freed and the result is nil. */
varve_node *vv_edge_attach(
    varve_node *parent, const char *name, varve_node *node);

/* vv_edge_add without a notice; and the notice. */
struct vv_edge *vv_edge_add_quietly(
    varve_node *parent, const char *name, varve_node *child);
void vv_edge_notify(struct vv_edge *edge);

/* Lets an edge lead elsewhere, without notice. */
void vv_edge_set_child(struct vv_edge *edge, varve_node *child);

/* Tells that children of a list came to other positions. */
void vv_edge_notify_moved(varve_node *list);

/* Takes an edge away; in a list those behind it move up. */
void vv_edge_untrack(struct vv_edge *edge);

/* Unlinks and frees an edge, and tells that its child may be out of reach. */
void vv_edge_remove(struct vv_edge *edge);
void vv_edge_notify_removed(varve_graph *graph, varve_node *child);

#endif
