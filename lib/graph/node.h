/* node.h - Defines nodes and edges and how they are linked.
 *
 * Invariants: an edge is in the list of its parent, in order of creation or, in
 * a list, of position. It is also in the list of edges that lead to its child,
 * which begins with the oldest. The edges of a node that has had more than
 * VV_FEW_EDGES edges are also in the edge set of the graph.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_NODE_H
#define VV_NODE_H

#include <stddef.h>

#include <varve/graph.h>
#include <varve/variable.h>

#include "name_table.h"

enum { VV_FEW_EDGES = 8 };

/* There are about as many edges as nodes, so edges are small. The name is found
 * from its bytes. Other edges are identified by their numbers in the pool of
 * the graph (edge.h); 0: none. */
struct vv_edge {
    /* to read */
    varve_edge public; /* visible to the program; must be first */
    varve_node *parent;
    /* own */
    uint32_t next;     /* edges of the same parent */
    uint32_t previous; /* for the first edge: the last */
    uint32_t next_in;  /* edges to the same child */
    uint32_t previous_in;
};

/* Data of features is attached to a node (attachment.h). Some features have
 * members here instead, because all variables need them or nearly every access
 * reads them. Attachments would cost more, and graphs of a million variables
 * are common (P8 of bench). `value_state` and `restored_by` belong to
 * restorations, `touched` to saves. `is_elsewhere`, `is_half` and `member` use
 * bytes that would otherwise be padding. */
struct varve_node {
    /* to fill in */
    struct vv_variable *variable; /* NULL: not a variable */
    /* to read */
    varve_graph *graph;
    struct vv_attachment *attachments; /* or NULL: see attachment.h */
    uint32_t number;                   /* small, and unique among existing
                                          nodes */
    uint32_t edge_count;
    uint32_t first_edge; /* numbers of edges, or 0 */
    uint32_t first_in;
    /* to fill in */
    uint64_t restored_by; /* number of the observer that restored the value */
    uint8_t value_state;  /* enum varve_variable_state; also of a state */
    /* to read */
    uint8_t kind; /* enum varve_kind */
    /* own */
    bool has_many_edges : 1; /* its edges are in the edge set */
    bool is_listed : 1;      /* scratch for a removal */
    bool is_gapped : 1;      /* a list whose edge names are not positions now:
                                see edge.h */
    /* to fill in */
    bool is_elsewhere : 1; /* the program has bound it to other memory */
    bool is_half : 1;      /* partially restored by a failed restoration:
                              at_risk.h */
    uint8_t member;        /* the member of a struct that it was made for: see
                              struct.h */
    uint32_t touched;      /* the moment of its graph when the program or the
                              library last reported a change of its value */
    /* own */
    uint32_t older; /* in the list of all nodes: numbers plus 1, or 0 */
    uint32_t newer;
};

/* Returns the node, or for NULL the nil node of a graph that has an error about
 * it. */
varve_node *vv_or_nil(const varve_node *node);

/* Creates a node without edges. Returns the nil node of the graph if out of
 * memory. */
varve_node *vv_node_new(varve_graph *graph, varve_kind kind);

/* Remove a node from the list of all nodes, and add it as the newest. */
void vv_node_unlist(varve_node *node);
void vv_node_list(varve_node *node);

/* Frees a node without edges, with its memory. */
void vv_node_free(varve_node *node);

/* Notifies observers of a new alias, global name or on-demand callback. */
void vv_node_notify_changed(varve_node *node);

/* Writes a path of the node for messages, along the oldest edges, into `text`.
 * `size` must be at least 8. The path of a node that nothing leads to is
 * "(root)". */
const char *vv_node_text(const varve_node *node, char *text, size_t size);

/* Returns the kind for messages: "an object". */
const char *vv_kind_text(varve_kind kind);

/* Returns the interned name of an edge, which contains its public name. */
static inline const struct vv_name *vv_edge_name(const struct vv_edge *edge)
{
    return (const void *)(edge->public.name - offsetof(struct vv_name, bytes));
}

static inline bool vv_is_nil(const varve_node *node)
{
    return node->kind == VARVE_NIL;
}

#endif
