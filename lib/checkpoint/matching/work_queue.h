/* work_queue.h - Stores what is matched next: visited nodes, and claims that
 * are deferred until there are no better ones.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_WORK_QUEUE_H
#define VV_WORK_QUEUE_H

#include "matches.h"
#include "pair_list.h"

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
bool vv_work_queue_demand(
    struct vv_work_queue *work_queue, varve_node *node, uint32_t file);

/* Takes the next one. Returns false if there is none. Sets *place for
 * vv_work_queue_demand_at: the node may be freed in the meantime and is then
 * NULL. */
bool vv_work_queue_take_demand(struct vv_work_queue *work_queue, size_t *place);
struct vv_pair vv_work_queue_demand_at(
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

#endif
