/* edge.h - Adds, finds and removes edges. node.h defines their struct.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_EDGE_H
#define VV_EDGE_H

#include "graph.h"

/* Renames the edges of a gapped list to their positions.
 *
 * The removal of an element makes a list gapped: the names of its edges still
 * increase by position, but are not the positions. So a removal takes constant
 * time. The functions below that return an edge rename the edges of a gapped
 * list first, except for those that end with _as_is. While a list is gapped,
 * the graph stores the names of all its positions, so renaming cannot fail. */
void vv_edge_close_gaps(varve_node *list);

/* Return the edges of a node in order of creation, and those that lead to it,
 * oldest first. NULL: no more. */
static inline struct vv_edge *vv_first_edge_as_is(const varve_node *node)
{
    return vv_indexed_pool_at(&node->graph->edges, node->first_edge);
}

static inline struct vv_edge *vv_first_edge(const varve_node *node)
{
    if (node->is_gapped)
        vv_edge_close_gaps((varve_node *)node);
    return vv_first_edge_as_is(node);
}

static inline struct vv_edge *vv_last_edge_as_is(const varve_node *node)
{
    const struct vv_edge *first = vv_first_edge_as_is(node);
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

static inline struct vv_edge *vv_first_in_as_is(const varve_node *node)
{
    return vv_indexed_pool_at(&node->graph->edges, node->first_in);
}

static inline struct vv_edge *vv_next_in_as_is(const struct vv_edge *edge)
{
    return vv_indexed_pool_at(&edge->parent->graph->edges, edge->next_in);
}

static inline struct vv_edge *vv_edge_named(struct vv_edge *edge)
{
    if (edge && edge->parent->is_gapped)
        vv_edge_close_gaps(edge->parent);
    return edge;
}

static inline struct vv_edge *vv_first_in(const varve_node *node)
{
    return vv_edge_named(vv_first_in_as_is(node));
}

static inline struct vv_edge *vv_next_in(const struct vv_edge *edge)
{
    return vv_edge_named(vv_next_in_as_is(edge));
}

static inline struct vv_edge *vv_previous_in(const struct vv_edge *edge)
{
    return vv_indexed_pool_at(&edge->parent->graph->edges, edge->previous_in);
}

/* Returns true if a node can have children. Otherwise it records an error. */
bool vv_node_takes_children(varve_node *parent, const char *name);

/* Returns the hash of an edge in the edge set of the graph. */
uint64_t vv_edge_hash(const void *edge);

/* Returns the edge with that name, or NULL. */
struct vv_edge *vv_edge_find(
    const varve_node *parent, const struct vv_name *name);

/* Return the edge at a position of a list, and the edge with that name, or
 * NULL. If the list is gapped, the edge itself may have another name. */
struct vv_edge *vv_edge_at(const varve_node *list, uint64_t position);
struct vv_edge *vv_edge_called(const varve_node *parent, const char *name);

/* Adds an edge that does not exist yet, and notifies the observers. Returns
 * NULL after an error. */
struct vv_edge *vv_edge_add(
    varve_node *parent, const char *name, varve_node *child);

/* Adds an edge to a new node and returns the node. After a failure, or if the
 * node is nil, frees it and returns nil. */
varve_node *vv_edge_attach(
    varve_node *parent, const char *name, varve_node *node);

/* Add an edge like vv_edge_add but without notifying, and notify. */
struct vv_edge *vv_edge_add_quietly(
    varve_node *parent, const char *name, varve_node *child);
void vv_edge_notify(struct vv_edge *edge);

/* Changes the child of an edge without notifying. */
void vv_edge_set_child(struct vv_edge *edge, varve_node *child);

/* Notifies that children of a list have moved to other positions. */
void vv_edge_notify_moved(varve_node *list);

/* Removes an edge. In a list, later elements move up. */
void vv_edge_untrack(struct vv_edge *edge);

/* Unlinks and frees an edge, and notifies that its child may be unreachable. */
void vv_edge_remove(struct vv_edge *edge);
void vv_edge_notify_removed(varve_graph *graph, varve_node *child);

#endif
