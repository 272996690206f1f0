/* node.h - Defines the struct of a node, and the attachments in which features
 * store their data for a node.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_NODE_H
#define VV_NODE_H

#include <stddef.h>

#include <varve/graph.h>
#include <varve/variable.h>

#include "name_table.h"

/* --- Nodes ---------------------------------------------------------------- */

/* Defines nodes and edges and how they are linked.
 *
 * Invariants: an edge is in the list of its parent, in order of creation or, in
 * a list, of position. It is also in the list of edges that lead to its child,
 * which begins with the oldest. The edges of a node that has had more than
 * VV_FEW_EDGES edges are also in the edge set of the graph. */

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

/* Data of features is attached to a node (struct vv_attachment). Some features
 * have members here instead, because all variables need them or nearly every
 * access reads them. Attachments would cost more, and graphs of a million
 * variables are common (P8 of bench). `value_state` and `restored_by` belong to
 * restorations, `touched` to saves. `is_elsewhere`, `is_half` and `member` use
 * bytes that would otherwise be padding. */
struct varve_node {
    /* to fill in */
    struct vv_variable *variable; /* NULL: not a variable */
    /* to read */
    varve_graph *graph;
    struct vv_attachment *attachments; /* or NULL */
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

/* --- Attachments ---------------------------------------------------------- */

/* Attaches data of features to a node, or to a graph as a whole.
 *
 * Nodes, edges, slots and walks do not depend on any feature. A feature defines
 * a kind, which is a constant, and a struct that begins with a vv_attachment.
 * The struct is allocated when a node first needs it and freed with the node.
 * Data of the whole graph is attached to its nil node.
 *
 * A node without attachments costs one pointer. Finding an attachment takes as
 * many comparisons as the node has attachments, which are few. */

/* Functions that are NULL are skipped. */
struct vv_attachment_kind {
    /* to fill in */
    size_t size; /* size of the struct of the feature */
    /* Frees what the struct owns. Called when the node is freed or the
     * attachment is dropped. For an attachment of the graph, all other nodes
     * have been freed. */
    void (*release)(varve_node *node, void *self);
    /* Calls vv_name_keep for each name of the struct. Returns how many it has.
     */
    size_t (*keep_names)(const void *self);

    /* Only for attachments of the graph: */
    /* Called when a variable is freed, before its attachments are. */
    void (*free_variable)(varve_node *node);
    /* Allocates what could not be allocated before, so that the error can be
     * cleared. Returns false if there is still no memory. */
    bool (*mend)(varve_graph *graph);
};

/* The first member of the struct of a feature. */
struct vv_attachment {
    /* own */
    const struct vv_attachment_kind *kind;
    struct vv_attachment *next;
};

/* Returns the attachment of a node, or NULL. */
static inline void *vv_attachment_find(
    const varve_node *node, const struct vv_attachment_kind *kind)
{
    struct vv_attachment *at = node->attachments;
    while (at && at->kind != kind)
        at = at->next;
    return at;
}

/* Returns the attachment of a node. Allocates it, zeroed, if needed. Returns
 * NULL if out of memory. */
void *vv_attachment_make(
    varve_node *node, const struct vv_attachment_kind *kind);

/* Removes the attachment if the node has one. */
void vv_attachment_drop(
    varve_node *node, const struct vv_attachment_kind *kind);

/* Removes all attachments of a node. */
void vv_attachments_drop(varve_node *node);

/* Marks the names of all attachments of a node. Returns how many there are. */
size_t vv_attachments_keep_names(const varve_node *node);

/* Calls `free_variable` of the attachments of the graph. */
void vv_attachments_free_variable(varve_node *node);

/* Calls `mend` of the attachments of the graph. Returns true if none lacks
 * memory any more. */
bool vv_attachments_mend(varve_graph *graph);

#endif
