/* replica.h - the structure of a graph made again in another one, over values
 * that lie elsewhere: nodes, edges, slots, tags and older names.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REPLICA_H
#define VV_REPLICA_H

#include <varve/variable.h>

#include "context.h"
#include "walk.h"

/* Where the values of the replica lie. */
struct vv_replica_values {
    /* to fill in */
    /* Sets where the value of a variable of the original lies, in a view of its
     * type and shape: `data` and `memory`, which are NULL. NULL instead of the
     * function: memory of the library, zeroed. */
    void (*place)(void *user, const varve_node *node, varve_tensor *view);
    /* What stands for a state's callbacks, and their `self`; NULL without
     * memory. */
    varve_state_callbacks callbacks;
    void *(*state)(void *user, const varve_node *node);
    void *user;
};

struct vv_replica {
    /* to read */
    const varve_allocator *allocator;
    varve_graph *graph;
    varve_node **nodes; /* by place in the walk; 0 is that of the root */
    size_t count;
};

/* Makes anew in `graph` what a walk has seen. Callbacks for children on demand
 * are left out. Nothing leads to the node that stands for the walk's root. On
 * failure the graph has made a mistake, and nodes that are of no use. */
varve_status vv_replica_make(struct vv_replica *replica, varve_graph *graph,
    const struct vv_walk *walk, const struct vv_replica_values *values,
    varve_error *error);

/* Lets go of the array; the nodes are the graph's. */
void vv_replica_clear(struct vv_replica *replica);

#endif
