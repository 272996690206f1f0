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

#include "delivery.h"
#include "matches.h"
#include "pairing.h"

/* --- The work queue ------------------------------------------------------- */

/* Stores what is matched next: visited nodes, and claims that are deferred
 * until there are no better ones. */

struct vv_work_queue {
    /* own */
    struct vv_buffer queue; /* struct vv_pair: `file` is one of the nodes
                               that the node is bound to, VV_NONE for all, or
                               VV_VISIT */
    size_t queue_first;
    struct vv_pair_list deferred; /* claims that are made after all claims by
                                     path */
    struct vv_buffer
        deferred_hows;           /* enum vv_match_rank of each deferred claim */
    struct vv_buffer demand;     /* struct vv_pair as in `queue`: nodes that are
                                    offered children */
    size_t offered;              /* number of these already taken */
    struct vv_pair_list unnamed; /* nodes to be looked up by global name */
};

/* In `queue`: the node is matched below all nodes that it is bound to, but is
 * not offered children. */
#define VV_VISIT (VV_NONE - 1)

void vv_work_queue_init(
    struct vv_work_queue *work_queue, const varve_allocator *allocator);
void vv_work_queue_end(struct vv_work_queue *work_queue);

/* Reserve room for `count` nodes, if there is memory, and release the room of
 * an empty queue. */
void vv_work_queue_reserve(struct vv_work_queue *work_queue, size_t count);
void vv_work_queue_shrink(struct vv_work_queue *work_queue);

/* Returns true if nodes or claims are queued. */
bool vv_work_queue_is_due(const struct vv_work_queue *work_queue);

/* Returns true if anything is queued, including offers and names. */
bool vv_work_queue_has_more(const struct vv_work_queue *work_queue);

/* Remove a node that is about to be freed, or all claims and names. */
void vv_work_queue_forget(
    struct vv_work_queue *work_queue, const varve_node *node);
void vv_work_queue_forget_graph(struct vv_work_queue *work_queue);

/* --- Nodes ---------------------------------------------------------------- */

/* Queues a node. Returns false if out of memory. */
bool vv_work_queue_add(
    struct vv_work_queue *work_queue, varve_node *node, uint32_t file);

/* Removes the next node from the queue. Returns false if the queue is empty. */
bool vv_work_queue_take(struct vv_work_queue *work_queue, struct vv_pair *next);

/* --- Claims --------------------------------------------------------------- */

/* A deferred claim. */
struct vv_claim {
    /* to read */
    struct vv_pair pair; /* `node` is NULL if the node was freed */
    enum vv_match_rank how;
};

/* Adds a claim. Returns false if out of memory. */
bool vv_work_queue_defer(struct vv_work_queue *work_queue, varve_node *node,
    uint32_t file, enum vv_match_rank how);

/* Gets the claim at a place. More claims may be added in the meantime. Returns
 * false at the end. */
bool vv_work_queue_claim_at(const struct vv_work_queue *work_queue,
    size_t place, struct vv_claim *claim);

/* Removes all claims. */
void vv_work_queue_end_claims(struct vv_work_queue *work_queue);

/* --- Offers --------------------------------------------------------------- */

/* Adds a node that is offered children. Returns false if out of memory. */
bool vv_work_queue_add_offer(
    struct vv_work_queue *work_queue, varve_node *node, uint32_t file);

/* Takes the next one. Returns false if there is none. Sets *place for
 * vv_work_queue_offer_at: the node may be freed in the meantime and is then
 * NULL. */
bool vv_work_queue_take_offer(struct vv_work_queue *work_queue, size_t *place);
struct vv_pair vv_work_queue_offer_at(
    const struct vv_work_queue *work_queue, size_t place);

/* Removes all nodes that were offered children. */
void vv_work_queue_end_demands(struct vv_work_queue *work_queue);

/* --- Names ---------------------------------------------------------------- */

/* Adds a node to be looked up by name. Returns false if out of memory. */
bool vv_work_queue_add_unnamed(
    struct vv_work_queue *work_queue, varve_node *node);

/* Return the number of nodes, without those that were freed, and the node at a
 * place. */
size_t vv_work_queue_unnamed_count(struct vv_work_queue *work_queue);
varve_node *vv_work_queue_unnamed_at(
    const struct vv_work_queue *work_queue, size_t place);

/* Removes all nodes to be looked up by name. */
void vv_work_queue_end_unnamed(struct vv_work_queue *work_queue);

/* --- Matching ------------------------------------------------------------- */

struct vv_matching {
    /* to read */
    struct vv_pairing *pairing;
    struct vv_delivery *delivery;
    struct vv_work_queue work_queue;

    /* to fill in */
    bool needs_sweep; /* edges were removed since the last sweep */
    bool is_open;     /* the read succeeded; later edges are late arrivals */
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

/* Returns true if the paths of the nodes of the program must be known. */
static inline bool vv_matching_needs_ways(const struct vv_matching *matching)
{
    const struct vv_selection *selection = &matching->pairing->selection;
    return matching->is_by_name || selection->rename_count ||
           selection->options.copy_shared;
}

/* Implements vv_matching_reserve_numbers if the tables may have to grow. */
bool vv_matching_grow(struct vv_matching *matching);

/* Grows the tables by node number for all nodes of the graph. Returns false and
 * records the failure if out of memory. */
static inline bool vv_matching_reserve_numbers(struct vv_matching *matching)
{
    const struct vv_pairing *p = matching->pairing;
    return (p->graph->number_limit <= p->matches.capacity &&
               !vv_matching_needs_ways(matching)) ||
           vv_matching_grow(matching);
}

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
