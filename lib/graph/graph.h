/* graph.h - the graph behind the handle: its memory, its names, its first
 * mistake, and who listens to its changes.
 *
 * The graph knows nothing of files. What reads and writes them registers an
 * observer and is told of every new edge and slot.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_GRAPH_H
#define VV_GRAPH_H

#include <varve/graph.h>

#include "context.h"
#include "failure.h"
#include "name_table.h"
#include "node.h"
#include "set.h"
#include "indexed_pool.h"

/* What a call holds on to while it runs a callback of the program; each holds
 * what those above it hold too. What would pull it away is refused: a mistake,
 * and nothing has changed. */
enum vv_hold {
    VV_HOLDS_NOTHING,
    VV_HOLDS_NODES, /* none is removed or retyped */
    VV_HOLDS_EDGES, /* nor is an edge */
    VV_HOLDS_ALL    /* nor is anything added */
};

/* An edge of which the observers are told just now. */
struct vv_notice {
    struct vv_edge *edge; /* NULL once it is removed */
    struct vv_notice *outer;
};

struct vv_slot;

struct vv_carried; /* carried.h of checkpoint/save */

/* Told of changes, newest observer first. Functions that are NULL are skipped.
 * A change is complete when its function is called. */
struct vv_observer {
    /* to read */
    struct vv_observer *older;
    struct vv_observer *newer;
    uint64_t number; /* counts up; a newer observer has a higher one */

    /* to fill in */
    void (*edge_added)(struct vv_observer *self, struct vv_edge *edge);
    /* The edge is gone; `child` may now be out of reach. */
    void (*edge_removed)(struct vv_observer *self, varve_node *child);
    /* Children of a list have come to other positions. */
    void (*children_moved)(struct vv_observer *self, varve_node *list);
    void (*slot_added)(struct vv_observer *self, struct vv_slot *slot);
    /* An alias, a global name, or a callback for children on demand. */
    void (*node_changed)(struct vv_observer *self, varve_node *node);
    /* The library itself is about to change values, or to free memory of
     * them; what the program changes nobody is told. */
    void (*values_change)(struct vv_observer *self);
    /* The node is about to be freed. */
    void (*node_removed)(struct vv_observer *self, varve_node *node);
    void (*graph_freed)(struct vv_observer *self);
    /* Names are let go, and numbered anew: vv_name_keep for each that it has.
     * Returns how much it looked at. */
    size_t (*names_swept)(struct vv_observer *self);
    /* Whether it has names in hand that it cannot tell of. */
    bool (*is_busy)(const struct vv_observer *self);
    /* A failure that the graph has to report until it is mended. */
    varve_status (*check)(const struct vv_observer *self, varve_error *error);
    /* A save begins: adds to `carried` the values that wait for nodes which the
     * graph does not have yet. */
    varve_status (*carry)(struct vv_observer *self, struct vv_carried *carried,
        varve_error *error);
};

struct varve_graph {
    /* to read */
    struct vv_context context;
    struct vv_durable saved_to;  /* where it was saved last, */
    struct vv_durable layers_in; /* and where layers of it */
    varve_error mistake;         /* the first; VARVE_OK: none */
    varve_node nil; /* what features have of the graph hangs on it */
    varve_node *root;
    struct vv_name_table names;
    struct vv_observer *newest;
    uint32_t number_limit; /* node numbers are below this */
    /* to fill in */
    uint32_t moment;    /* what changes now, changed at this one: whoever
                           remembers values begins the next */
    bool has_new_views; /* since the memory of values was compared last:
                           overlap.h */
    /* to read */
    uint8_t held; /* vv_hold */
    /* own */
    bool is_quiet;                /* observers are not told of nodes */
    struct vv_indexed_pool nodes; /* their numbers are those there minus 1 */
    uint32_t newest_node;         /* its number plus 1 */
    struct vv_indexed_pool edges;
    struct vv_set edge_set;    /* edges of nodes that have many */
    uint64_t observer_count;   /* ever registered */
    uint64_t seed;             /* of random streams */
    struct vv_notice *notices; /* the innermost, or NULL */
};

/* A graph over a context of the caller's choice; copied. Never NULL. */
varve_graph *vv_graph_new_in(const struct vv_context *context);

/* All nodes, from the one made last to the one made first, and back; NULL: no
 * more. */
static inline varve_node *vv_newest_node(const varve_graph *graph)
{
    return vv_indexed_pool_at(&graph->nodes, graph->newest_node);
}

static inline varve_node *vv_older_node(const varve_node *node)
{
    return vv_indexed_pool_at(&node->graph->nodes, node->older);
}

static inline varve_node *vv_newer_node(const varve_node *node)
{
    return vv_indexed_pool_at(&node->graph->nodes, node->newer);
}

/* Remembers a mistake if it is the first, and gives the nil node. */
varve_node *vv_graph_error(varve_graph *graph, varve_status status,
    const char *format, ...) VV_PRINTF(3, 4);

varve_node *vv_graph_memory_error(varve_graph *graph);

/* Gives the mistake to a call that made it with nodes of its own, so that it is
 * none of the program's. */
varve_status vv_graph_take_error(varve_graph *graph, varve_error *error);

/* A nil node where one is needed: a mistake of its own once the one that made
 * it nil was cleared. */
varve_node *vv_graph_nil_error(varve_graph *graph);

/* What a call needs that can fail: a graph without a mistake, and a node that
 * is not nil; the node may be NULL. */
varve_status vv_node_check(const varve_node *node, varve_error *error);

/* The graph itself; for NULL the one that vv_or_nil gives the nil node of. */
varve_graph *vv_graph_given(const varve_graph *graph);

/* Holds until it is let go; gives what to let go to. */
enum vv_hold vv_graph_hold(varve_graph *graph, enum vv_hold hold);
void vv_graph_let_go(varve_graph *graph, enum vv_hold older);

/* Whether nothing holds what a call would pull away; else a mistake that says
 * where. */
bool vv_graph_may_change(const varve_node *node, enum vv_hold held);

/* Observers are told of no edge, slot or mark that is added or taken away,
 * until it is quiet no more: for what is taken back before anybody looks. */
void vv_graph_be_quiet(varve_graph *graph, bool is_quiet);

/* The newest observer that is told of edges, slots and marks; NULL: none. */
struct vv_observer *vv_graph_listener(const varve_graph *graph);

/* Tells all observers that values are about to change. */
void vv_graph_values_change(varve_graph *graph);

/* What varve_set_seed has set. */
uint64_t vv_graph_seed(const varve_graph *graph);

/* Makes a node the root, and frees the one that was, which no edge touches. */
void vv_graph_set_root(varve_graph *graph, varve_node *root);

/* Registers as the newest observer. */
void vv_graph_observe(varve_graph *graph, struct vv_observer *observer);

/* The newest observer of the kind that this function of its own tells, or
 * NULL. */
struct vv_observer *vv_graph_observer(
    const varve_graph *graph, void (*graph_freed)(struct vv_observer *self));
void vv_graph_forget(varve_graph *graph, struct vv_observer *observer);

#endif
