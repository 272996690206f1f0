/* walk.h - Visits every reachable node once, in the order of a file.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_WALK_H
#define VV_WALK_H

#include <varve/error.h>

#include "buffer.h"
#include "node.h"
#include "slot.h"

/* A node that a walk has reached, and the edge or the slot by which it was
 * reached. The root has neither. */
struct vv_step {
    /* to read */
    varve_node *node;
    const struct vv_edge *edge;
    const struct vv_slot *slot;
};

/* Returns true if a walk does not continue below a node. */
typedef bool vv_walk_end_at(const varve_node *node);

struct vv_walk {
    /* to read */
    const varve_allocator *allocator;
    varve_graph *graph;
    struct vv_step *steps; /* breadth first, then slot variables */
    size_t count;
    struct vv_slot **slots; /* sorted by owner, variable and name */
    size_t slot_count;
    /* own */
    vv_walk_end_at *ends; /* or NULL */
    size_t capacity;
    size_t slot_capacity;
    uint32_t *place_of; /* by node number: place in `steps` plus 1, or 0 */
    uint16_t *sizes;    /* by place: size of the path (path_end.h), or 0 if it
                           was not computed yet */
    size_t number_limit;
    struct vv_edge **sorted; /* scratch: the edges of one node */
    size_t sorted_capacity;
};

/* Walks the graph from a node, which must not be nil. Afterwards names are
 * ranked. The walk is valid until the graph changes. Returns VARVE_NO_MEMORY on
 * failure. */
varve_status vv_walk_begin(
    struct vv_walk *walk, varve_node *root, varve_error *error);
void vv_walk_end(struct vv_walk *walk);

/* Ends a walk while the nodes that it has visited still exist. If they are few,
 * leaves its table of all nodes to the next walk of the graph, so that many
 * small walks do not each allocate one. */
void vv_walk_end_in_place(struct vv_walk *walk);

/* Does the same, but ignores what is below the nodes for which `ends` returns
 * true. */
varve_status vv_walk_begin_above(struct vv_walk *walk, varve_node *root,
    vv_walk_end_at *ends, varve_error *error);

/* Returns the edges of a node in the order of a file: by name, in a list by
 * position. Valid until the next call. */
struct vv_edge *const *vv_walk_edges(struct vv_walk *walk, varve_node *node);

/* Returns the number of edges that the walk follows: all or none. */
static inline size_t vv_walk_edge_count(
    const struct vv_walk *walk, const varve_node *node)
{
    return walk->ends && walk->ends(node) ? 0 : node->edge_count;
}

/* Returns the place of a node that the walk has visited. */
static inline uint32_t vv_walk_place(
    const struct vv_walk *walk, const varve_node *node)
{
    return walk->place_of[node->number] - 1;
}

/* Returns true if the walk has visited a node. */
static inline bool vv_walk_has(
    const struct vv_walk *walk, const varve_node *node)
{
    return node->number < walk->number_limit &&
           walk->place_of[node->number] != 0;
}

/* Sets `path` to the path of the node at a place. If it is longer than
 * VV_LONGEST_PATH, it is "..." and its end. */
void vv_walk_path(
    const struct vv_walk *walk, size_t place, struct vv_buffer *path);

/* Does the same, shortened to `longest` bytes. */
void vv_walk_short_path(const struct vv_walk *walk, size_t place,
    size_t longest, struct vv_buffer *path);

#endif
