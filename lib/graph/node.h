/* node.h - nodes and edges: what they are made of and how they are linked.
 *
 * Invariants: an edge is in the list of its parent (in order of creation; in a
 * list, of position) and in the list of edges that lead to its child, whose
 * first is the oldest. A node with more than VV_FEW_EDGES edges has them in the
 * graph's edge set too.
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

/* There are as many as nodes: the name is found by its bytes, and other edges
 * by their numbers on the graph's indexed pool (edge.h), 0 for none. */
struct vv_edge {
    /* to read */
    varve_edge public; /* what the program sees; first */
    varve_node *parent;
    /* own */
    uint32_t next;     /* of the same parent */
    uint32_t previous; /* of the first: the last */
    uint32_t next_in;  /* to the same child */
    uint32_t previous_in;
};

/* Features hang what they have on a node (attachment.h). Some have members here
 * instead, for every variable has them, or nearly each look at a node asks:
 * what is hung up costs more, and graphs of a million variables are the rule
 * (P8 of bench). `variable` is its memory; `value_state` and `restored_by` are
 * what a restoration knows of it, `touched` what a save does; `is_elsewhere`,
 * `is_half` and `member` are in bytes that would be empty. */
struct varve_node {
    /* to fill in */
    struct vv_variable *variable; /* of a variable */
    /* to read */
    varve_graph *graph;
    struct vv_attachment *attachments; /* or NULL: see attachment.h */
    uint32_t number;                   /* unique among living nodes, small */
    uint32_t edge_count;
    uint32_t first_edge; /* numbers of edges, or 0 */
    uint32_t first_in;
    /* to fill in */
    uint64_t restored_by; /* number of the observer that gave the value */
    uint8_t value_state;  /* varve_variable_state; a state's too */
    /* to read */
    uint8_t kind; /* varve_kind */
    /* own */
    bool has_many_edges : 1; /* they are in the edge set */
    bool is_listed : 1;      /* scratch of a removal */
    /* to fill in */
    bool is_elsewhere : 1; /* the program has bound it to other memory */
    bool is_half : 1; /* a restoration that failed has left it: at_risk.h */
    uint8_t member;   /* of what of a struct it was made: see struct.h */
    uint32_t touched; /* the moment of its graph when its value changed last, as
                         far as the program or the library said so */
    /* own */
    uint32_t older; /* in the list of all: numbers plus 1, or 0 */
    uint32_t newer;
};

/* The node itself; for NULL the nil node of a graph whose mistake it is. */
varve_node *vv_or_nil(const varve_node *node);

/* A new node without edges; the graph's nil without memory. */
varve_node *vv_node_new(varve_graph *graph, varve_kind kind);

/* Takes it out of the list of all, and puts it there as the newest. */
void vv_node_unlist(varve_node *node);
void vv_node_list(varve_node *node);

/* Frees a node that no edge touches any more, with its memory. */
void vv_node_free(varve_node *node);

/* Tells that a node has a new alias or global name, or makes children on
 * demand. */
void vv_node_notify_changed(varve_node *node);

/* A path to the node for messages, along the oldest edges; in `text`, which has
 * `size` bytes, 8 or more; "(root)" for a node that nothing leads to. */
const char *vv_node_text(const varve_node *node, char *text, size_t size);

static inline const struct vv_name *vv_edge_name(const struct vv_edge *edge)
{
    return (const void *)(edge->public.name - offsetof(struct vv_name, bytes));
}

static inline bool vv_is_nil(const varve_node *node)
{
    return node->kind == VARVE_NIL;
}

#endif
