/* graph.h - The graph behind the public handle: its memory, names, first error
 * and observers.
 *
 * The graph has no code for files. Code that reads or writes files registers an
 * observer, which is notified of every new edge and slot.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_GRAPH_H
#define VV_GRAPH_H

#include <varve/graph.h>

#include "allocator.h"
#include "context.h"
#include "failure.h"
#include "hash_table.h"
#include "name_table.h"
#include "node.h"

/* Restricts changes of a graph while the library runs a callback of the
 * program. Each level includes those before it. A change that is not allowed
 * records an error and does nothing. */
enum vv_hold {
    VV_HOLDS_NOTHING,
    VV_HOLDS_NODES, /* no node may be removed or retyped */
    VV_HOLDS_EDGES, /* no edge may be removed */
    VV_HOLDS_ALL    /* nothing may be added */
};

/* An edge about which observers are being notified. */
struct vv_notice {
    struct vv_edge *edge; /* NULL after it is removed */
    struct vv_notice *outer;
};

struct vv_slot;

struct vv_carried; /* see save/carried.h */

/* Notified of changes, newest observer first. Functions that are NULL are
 * skipped. A change is complete when its function is called. */
struct vv_observer {
    /* to read */
    struct vv_observer *older;
    struct vv_observer *newer;
    uint64_t number; /* increases with each observer of the graph */

    /* to fill in before vv_graph_observe */
    /* If it uses the name, it must call vv_edge_named. */
    void (*edge_added)(struct vv_observer *self, struct vv_edge *edge);
    /* The edge was removed. `child` may be unreachable. */
    void (*edge_removed)(struct vv_observer *self, varve_node *child);
    /* Children of a list have moved to other positions. */
    void (*children_moved)(struct vv_observer *self, varve_node *list);
    void (*slot_added)(struct vv_observer *self, struct vv_slot *slot);
    /* An alias, a global name or an on-demand callback has changed. */
    void (*node_changed)(struct vv_observer *self, varve_node *node);
    /* The library is about to change values, or to free their memory. Changes
     * by the program are not reported. */
    void (*values_change)(struct vv_observer *self);
    /* The node is about to be freed. */
    void (*node_removed)(struct vv_observer *self, varve_node *node);
    void (*graph_freed)(struct vv_observer *self);
    /* Unused names are freed and the others renumbered. Must call vv_name_keep
     * for each name that the observer holds. Returns how many it examined. */
    size_t (*names_swept)(struct vv_observer *self);
    /* Returns true if it holds names that names_swept cannot mark. */
    bool (*is_busy)(const struct vv_observer *self);
    /* Returns a failure that the graph reports until it is resolved. */
    varve_status (*check)(const struct vv_observer *self, varve_error *error);
    /* A save begins. Adds the pending values, for which the graph has no nodes
     * yet, to `carried`. */
    varve_status (*carry)(struct vv_observer *self, struct vv_carried *carried,
        varve_error *error);
};

struct varve_graph {
    /* to read */
    struct vv_context context;
    struct vv_durable saved_to;  /* where it was last saved */
    struct vv_durable layers_in; /* where its data files are */
    varve_error mistake;         /* the first error; VARVE_OK: none */
    varve_node nil; /* attachments of the graph are attached to it */
    varve_node *root;
    struct vv_name_table names;
    struct vv_observer *newest;
    uint32_t number_limit; /* node numbers are below this */
    uint64_t path_changes; /* increases when a node may get another first path:
                              an edge was removed or has another child, or the
                              root was replaced */
    /* to fill in */
    uint32_t moment;    /* stored by values that change now; code that saves
                           values starts the next one */
    bool has_new_views; /* views have changed since the last vv_overlap_check */
    bool adds_on_demand; /* a node has or had an on-demand callback */
    /* to read */
    uint8_t held; /* enum vv_hold */
    /* own */
    bool is_quiet;                /* observers are not notified of edges,
                                     slots and marks */
    struct vv_indexed_pool nodes; /* item numbers are node numbers plus 1 */
    uint32_t newest_node;         /* its number plus 1 */
    struct vv_indexed_pool edges;
    struct vv_set edge_set;  /* edges of nodes that have many */
    uint64_t observer_count; /* number of observers ever registered */
    size_t checking;         /* observers that have `check` */
    /* to read */
    size_t watching_values; /* observers that have `values_change` */
    /* own */
    uint64_t seed;             /* of random streams */
    struct vv_notice *notices; /* the innermost, or NULL */
    uint32_t *spare_places;    /* zeros, for the next walk; or NULL */
    size_t spare_limit;        /* elements of it */
};

/* Creates a graph in a context, which is copied. Never returns NULL. */
varve_graph *vv_graph_new_in(const struct vv_context *context);

/* Frees the table that a walk has left. */
void vv_graph_free_spare(varve_graph *graph);

/* Return all nodes from the newest to the oldest, and back. NULL: no more. */
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

/* Records an error if it is the first one. Returns the nil node. */
varve_node *vv_graph_error(varve_graph *graph, varve_status status,
    const char *format, ...) VV_PRINTF(3, 4);

/* Records VARVE_NO_MEMORY. Returns the nil node. */
varve_node *vv_graph_memory_error(varve_graph *graph);

/* Moves the error to `error` and clears it. For functions that add nodes of
 * their own, so that the error is not reported again. */
varve_status vv_graph_take_error(varve_graph *graph, varve_error *error);

/* Records an error about a nil node. If the error that made it nil was cleared,
 * this is a new one. */
varve_node *vv_graph_nil_error(varve_graph *graph);

/* Records that a NULL node was to be changed, if `graph` is that of such nodes.
 * All later checks of graphs in this thread fail, until one is cleared. `what`,
 * which must be static, begins the message; `name` is quoted after it, or
 * NULL. */
void vv_graph_note_lost(
    const varve_graph *graph, const char *what, const char *name);

/* Returns the error of the graph, if it has one. Otherwise fails if the node is
 * nil or NULL. */
varve_status vv_node_check(const varve_node *node, varve_error *error);

/* Returns the graph, or for NULL the graph of the nil node that vv_or_nil
 * returns. */
varve_graph *vv_graph_given(const varve_graph *graph);

/* Restricts changes until vv_graph_let_go. Returns the previous level, which
 * must be passed to it. */
enum vv_hold vv_graph_hold(varve_graph *graph, enum vv_hold hold);
void vv_graph_let_go(varve_graph *graph, enum vv_hold older);

/* Returns true if a change is allowed. Otherwise records an error with the path
 * of the node. */
bool vv_graph_may_change(const varve_node *node, enum vv_hold held);

/* Suppresses notifications about edges, slots and marks, while changes are made
 * that are undone at once. */
void vv_graph_be_quiet(varve_graph *graph, bool is_quiet);

/* Returns the newest observer to be notified of edges, slots and marks, or
 * NULL. */
struct vv_observer *vv_graph_listener(const varve_graph *graph);

/* Notifies all observers that values are about to change. */
void vv_graph_values_change(varve_graph *graph);

/* Returns the seed that varve_set_seed has set. */
uint64_t vv_graph_seed(const varve_graph *graph);

/* Makes a node the root, and frees the previous root, which must have no edges.
 */
void vv_graph_set_root(varve_graph *graph, varve_node *root);

/* Registers an observer as the newest. */
void vv_graph_observe(varve_graph *graph, struct vv_observer *observer);

/* Returns the newest observer with this `graph_freed` function, or NULL. */
struct vv_observer *vv_graph_observer(
    const varve_graph *graph, void (*graph_freed)(struct vv_observer *self));

/* Unregisters an observer. */
void vv_graph_forget(varve_graph *graph, struct vv_observer *observer);

#endif
