/* replica.h - Copies the structure of a graph into another one, with values in
 * other memory: nodes, edges, slots, tags and aliases.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REPLICA_H
#define VV_REPLICA_H

#include <varve/variable.h>

#include "context.h"
#include "walk.h"

/* The memory of the values of the replica. */
struct vv_replica_values {
    /* to fill in */
    /* Sets `data` and `memory`, which are NULL, in a view with the type and
     * shape of a variable of the original. If the function is NULL, variables
     * have zeroed memory of the library. */
    void (*place)(void *user, const varve_node *node, varve_tensor *view);
    /* The callbacks of states and their `self`; `state` returns NULL if out of
     * memory. */
    varve_state_callbacks callbacks;
    void *(*state)(void *user, const varve_node *node);
    void *user;
};

struct vv_replica {
    /* to read */
    const varve_allocator *allocator;
    varve_graph *graph;
    varve_node **nodes; /* by place in the walk; 0 is the root */
    size_t count;
};

/* Copies the nodes of a walk into `graph`. On-demand callbacks are not copied.
 * No edge leads to the copy of the root. On failure the graph has an error and
 * nodes that are not used. */
varve_status vv_replica_make(struct vv_replica *replica, varve_graph *graph,
    const struct vv_walk *walk, const struct vv_replica_values *values,
    varve_error *error);

/* Frees the array. The graph owns the nodes. */
void vv_replica_clear(struct vv_replica *replica);

#endif
