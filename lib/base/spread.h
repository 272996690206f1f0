/* spread.h - Computes the states of an automaton in which the paths of a graph
 * reach each node: every pair of node and state once, breadth first.
 *
 * The caller traverses the graph. It takes the pairs in turn, adds the pairs
 * that the edges and slots of each lead to, and can continue after the graph
 * has grown. The pairs of a node represent all its paths, so further edges
 * never remove a pair.
 *
 * Every node has a place in a tree, below the node by which it was first found.
 * An edge back to an ancestor is not followed, because otherwise everything
 * would be below each node that has an edge to its parent.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SPREAD_H
#define VV_SPREAD_H

#include "automaton.h"

/* The step that led to a pair. */
struct vv_spread_step {
    /* to fill in */
    uint32_t from;     /* the preceding pair, plus 1; 0: pair of the root */
    uint32_t variable; /* for a slot: the pair of its variable, plus 1 */
    uint32_t number;   /* number of the edge or slot in the graph */
    /* own */
    uint16_t size; /* size of the path (path_end.h), or 0: not computed yet */
    /* to fill in */
    const void *step; /* or its address */
};

struct vv_reached {
    /* to read */
    const struct vv_state *state;
    void *object; /* the node, if it has an address */
    struct vv_spread_step way;
    uint32_t node; /* its number; UINT32_MAX: it was removed */
    uint32_t next; /* another pair of the node, plus 1; newest first */
};

enum { VV_ACCEPTED = 1, VV_NOT_ACCEPTED = 2 };

struct vv_spread_node {
    uint32_t first; /* its newest pair, plus 1 */
    uint8_t known;  /* flags: it has states that accept, or that do not */
    bool has_place;
    uint32_t above; /* parent; for the root, itself */
    /* a further ancestor, so that any ancestor is reached in few steps */
    uint32_t jump;
    uint32_t depth;
};

struct vv_spread {
    /* to fill in */
    /* to fill in */
    struct vv_automaton automaton;
    /* to read */
    /* to read */
    struct vv_reached *pairs; /* in order of discovery */
    size_t count;
    size_t gone; /* number of pairs whose node was removed */
    /* own */
    size_t capacity;
    size_t done; /* number of pairs that were taken */
    struct vv_spread_node *nodes;
    size_t node_capacity;
    uint32_t *table; /* pairs by hash, plus 1 */
    size_t table_size;
};

/* Like vv_automaton_begin. */
varve_status vv_spread_begin(struct vv_spread *spread,
    const varve_allocator *allocator, const char *patterns, varve_error *error);

/* Ends the spread; it can be zeroed. */
void vv_spread_end(struct vv_spread *spread);

static inline bool vv_spread_is_on(const struct vv_spread *spread)
{
    return spread->automaton.allocator;
}

/* Sets the place of a node below another one, unless it has a place. The root
 * is placed below itself. */
void vv_spread_place(struct vv_spread *spread, uint32_t node, uint32_t above);

static inline bool vv_spread_has_place(
    const struct vv_spread *spread, uint32_t node)
{
    return node < spread->node_capacity && spread->nodes[node].has_place;
}

/* Returns true if `to` is `from` or an ancestor of it. */
bool vv_spread_leads_back(
    const struct vv_spread *spread, uint32_t from, uint32_t to);

/* Adds a pair if it is new, and a place for its node if it has none. Stores
 * `object` and `way`. A NULL state counts as a failure; automaton.status is the
 * first one. */
void vv_spread_add(struct vv_spread *spread, uint32_t node,
    const struct vv_state *state, void *object, struct vv_spread_step way);

/* Takes the next pair and sets *pair to its index. Returns false if all were
 * taken, or after a failure. */
bool vv_spread_next(struct vv_spread *spread, uint32_t *pair);

/* Returns the newest pair of a node, plus 1; 0 if it has none. */
uint32_t vv_spread_first(const struct vv_spread *spread, uint32_t node);

/* Removes the pairs of a node that was removed. */
void vv_spread_forget(struct vv_spread *spread, uint32_t node);

/* vv_spread_has_any returns true if the patterns match a path to the node;
 * vv_spread_has_all if it has paths and they match all of them. */
static inline bool vv_spread_has_any(
    const struct vv_spread *spread, uint32_t node)
{
    return node < spread->node_capacity &&
           (spread->nodes[node].known & VV_ACCEPTED);
}
static inline bool vv_spread_has_all(
    const struct vv_spread *spread, uint32_t node)
{
    return node < spread->node_capacity &&
           spread->nodes[node].known == VV_ACCEPTED;
}

/* Returns the oldest pair of a node in a state that accepts (or does not), or
 * UINT32_MAX. */
uint32_t vv_spread_find(
    const struct vv_spread *spread, uint32_t node, bool accepts);

/* Returns the name of the edge or slot of a step. */
typedef struct vv_text vv_name_of_way(
    const void *graph, const struct vv_spread_step *way);

struct vv_spread_text {
    const struct vv_spread *spread;
    vv_name_of_way *name_of;
    const void *graph;
    size_t longest; /* length in bytes to which the path is shortened */
    struct vv_buffer *path;
};

/* Sets `path` to the path that led to a pair. */
void vv_spread_path(const struct vv_spread_text *text, uint32_t pair);

#endif
