/* matching.h - Matches a program with a file. Bindings are recorded in a
 * pairing. The delivery is notified of each binding at once.
 *
 * The notification is not deferred, because whether a claim wins can depend on
 * the current state of the value. Every new edge or slot of the program is
 * matched in the same way as those that existed at the time of the read.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_MATCHING_H
#define VV_MATCHING_H

#include "work_queue.h"
#include "delivery.h"
#include "pairing.h"

struct vv_matching {
    /* to read */
    struct vv_pairing *pairing;
    struct vv_delivery *delivery;
    struct vv_work_queue work_queue;

    /* to fill in */
    bool needs_sweep; /* edges were removed since the last sweep */
    /* own */
    uint64_t sweeps; /* number of sweeps so far */
    bool *was_there; /* by edge of the file: a node that makes children on
                        demand had this edge; NULL: no node was offered
                        children */
    bool is_by_name; /* global names are used: the complete program is
                        visited */
    struct vv_buffer sorted; /* scratch: the edges of one node */
    struct vv_buffer name;   /* scratch */
};

/* Initializes matching with nothing to do. `pairing` and `delivery` must not
 * move. */
void vv_matching_init(struct vv_matching *matching, struct vv_pairing *pairing,
    struct vv_delivery *delivery);

/* Called after the pairing and the delivery have begun. */
void vv_matching_begin(struct vv_matching *matching);
void vv_matching_end(struct vv_matching *matching);

/* Removes all references to a graph that is being freed, also from the pairing.
 */
void vv_matching_forget_graph(struct vv_matching *matching);

/* Records that matching must be repeated when memory is available. */
void vv_out_of_memory(struct vv_matching *matching);

/* Calls vv_out_of_memory if the visited paths have run out of memory. */
void vv_look_for_lost_ways(struct vv_matching *matching);

/* Grows the tables by node number for all nodes of the graph. Returns false and
 * records the failure if out of memory. */
bool vv_know_numbers(struct vv_matching *matching);

/* Queues a node of the program. If memory runs out, everything is matched
 * again. */
void vv_queue(struct vv_matching *matching, varve_node *node, uint32_t file);

/* Adds a claim that is made after all claims by path. */
void vv_defer(struct vv_matching *matching, varve_node *node, uint32_t file,
    enum vv_match_rank how);

/* Records how a node was reached, if paths matter. Queues it at the first
 * visit. */
void vv_visit(struct vv_matching *matching, varve_node *node,
    const struct vv_path_step *via);

/* Queues a visited node for a match by name if it can have a value and holds
 * none. */
void vv_consider_by_name(struct vv_matching *matching, varve_node *node);

#endif
