/* spread.h - in which states of an automaton the paths of a graph come to each
 * node: every pair of node and state once, breadth first.
 *
 * The graph itself is the caller's: it takes the pairs in turn, adds those that
 * the edges and slots of each lead to, and may go on when the graph has grown.
 * A node has all its paths in its pairs, so that more edges never take a pair
 * away.
 *
 * Every node has a place in a tree, below the node by which it was known first.
 * An edge back to a node above is not followed: else everything would be below
 * whatever has an edge to its parent.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SPREAD_H
#define VV_SPREAD_H

#include "automaton.h"

/* How a pair was come to. */
struct vv_way {
    /* to fill in */
    uint32_t from;     /* the pair before it, plus 1; 0: it is the root's */
    uint32_t variable; /* of a slot: the pair of its variable, plus 1 */
    uint32_t number;   /* of the edge or slot, as the graph has it, */
    /* own */
    uint16_t size; /* of the path (path_end.h), or 0 if not computed yet */
    /* to fill in */
    const void *step; /* or its address */
};

struct vv_reached {
    /* to read */
    const struct vv_state *state;
    void *object; /* the node, where it has an address */
    struct vv_way way;
    uint32_t node; /* its number; UINT32_MAX: it is gone */
    uint32_t next; /* another pair of the node, plus 1; the newest first */
};

struct vv_spread_node {
    uint32_t first; /* its newest pair, plus 1 */
    uint8_t known;  /* whether its states accept */
    bool has_place;
    uint32_t above; /* the root: itself */
    uint32_t jump;  /* a node further above, so that few steps lead to any */
    uint32_t depth;
};

struct vv_spread {
    /* to fill in */
    /* to fill in */
    struct vv_automaton automaton;
    /* to read */
    /* to read */
    struct vv_reached *pairs; /* in the order in which they were found */
    size_t count;
    size_t gone; /* so many are of nodes that are */
    /* own */
    size_t capacity;
    size_t done; /* so many have been taken */
    struct vv_spread_node *nodes;
    size_t node_capacity;
    uint32_t *table; /* pairs by hash, plus 1 */
    size_t table_size;
};

/* As vv_automaton_begin. */
varve_status vv_spread_begin(struct vv_spread *spread,
    const varve_allocator *allocator, const char *patterns, varve_error *error);

/* Takes one that was never begun, too. */
void vv_spread_end(struct vv_spread *spread);

static inline bool vv_spread_is_on(const struct vv_spread *spread)
{
    return spread->automaton.allocator;
}

/* Gives a node its place below another that has one, unless it has one; the
 * root's is below itself. */
void vv_spread_place(struct vv_spread *spread, uint32_t node, uint32_t above);

static inline bool vv_spread_has_place(
    const struct vv_spread *spread, uint32_t node)
{
    return node < spread->node_capacity && spread->nodes[node].has_place;
}

/* Whether a node is another or above it. */
bool vv_spread_leads_back(
    const struct vv_spread *spread, uint32_t from, uint32_t to);

/* Adds a pair if it is new, and a place for its node if it has none; `object`
 * and `way` are kept. After a failure automaton.status says which; a state that
 * is NULL is one. */
void vv_spread_add(struct vv_spread *spread, uint32_t node,
    const struct vv_state *state, void *object, struct vv_way way);

/* Takes the next pair: its place in `pairs`; false when all are done, or after
 * a failure. */
bool vv_spread_next(struct vv_spread *spread, uint32_t *pair);

/* The newest pair of a node, plus 1; 0: it was not come to. */
uint32_t vv_spread_first(const struct vv_spread *spread, uint32_t node);

/* Forgets the pairs of a node that is gone. */
void vv_spread_forget(struct vv_spread *spread, uint32_t node);

/* Whether the patterns stand for a path to the node; for every one of them, and
 * there is one. */
bool vv_spread_has_any(const struct vv_spread *spread, uint32_t node);
bool vv_spread_has_all(const struct vv_spread *spread, uint32_t node);

/* The oldest pair of a node in a state that accepts or does not; UINT32_MAX. */
uint32_t vv_spread_find(
    const struct vv_spread *spread, uint32_t node, bool accepts);

/* The name of the edge or slot of a way, by whoever knows the graph. */
typedef struct vv_text vv_name_of_way(
    const void *graph, const struct vv_way *way);

struct vv_spread_text {
    const struct vv_spread *spread;
    vv_name_of_way *name_of;
    const void *graph;
    size_t longest; /* bytes; it is shortened to so many */
    struct vv_buffer *path;
};

/* Sets `path` to the path that led to a pair. */
void vv_spread_path(const struct vv_spread_text *text, uint32_t pair);

#endif
