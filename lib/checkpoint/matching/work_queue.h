/* work_queue.h - what is to be matched next: nodes that were come to, and
 * claims that wait until there are no better ones.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_WORK_QUEUE_H
#define VV_WORK_QUEUE_H

#include "matches.h"
#include "pair_list.h"

struct vv_work_queue {
    /* own */
    struct vv_buffer queue; /* vv_pair: `file` is which of the nodes that it
                               stands for is meant, VV_NONE: all; or VV_VISIT */
    size_t queue_first;
    struct vv_pair_list deferred; /* claims that are made when those by path
                                     have been */
    struct vv_buffer
        deferred_hows;       /* uint8_t: vv_match_rank, of the same place */
    struct vv_buffer demand; /* vv_pair: as `queue`, to be offered children */
    size_t offered;          /* of them */
    struct vv_pair_list unnamed; /* nodes that no path may lead to, to be
                                    looked for by global name */
};

/* All that it stands for, but it is asked for nothing. */
#define VV_VISIT (VV_NONE - 1)

void vv_work_queue_init(
    struct vv_work_queue *work_queue, const varve_allocator *allocator);
void vv_work_queue_end(struct vv_work_queue *work_queue);

/* Room for so many nodes in the queue, if there is memory; and letting go of
 * what it takes while it is empty. */
void vv_work_queue_reserve(struct vv_work_queue *work_queue, size_t count);
void vv_work_queue_shrink(struct vv_work_queue *work_queue);

/* Whether nodes or claims wait. */
bool vv_work_queue_is_due(const struct vv_work_queue *work_queue);

/* Whether anything does, be it an offer or a name. */
bool vv_work_queue_has_more(const struct vv_work_queue *work_queue);

/* Forgets a node that is about to be freed, or the claims and names of all. */
void vv_work_queue_forget(
    struct vv_work_queue *work_queue, const varve_node *node);
void vv_work_queue_forget_graph(struct vv_work_queue *work_queue);

/* --- Nodes ------------------------------------------------------------------
 */

/* Queues a node; false without memory. */
bool vv_work_queue_add(
    struct vv_work_queue *work_queue, varve_node *node, uint32_t file);

/* Takes the next one; false where there is none. */
bool vv_work_queue_take(struct vv_work_queue *work_queue, struct vv_pair *next);

/* --- Claims -----------------------------------------------------------------
 */

/* A claim that waits. */
struct vv_claim {
    /* to read */
    struct vv_pair pair; /* without a node: that was freed */
    enum vv_match_rank how;
};

/* Notes a claim; false without memory. */
bool vv_work_queue_defer(struct vv_work_queue *work_queue, varve_node *node,
    uint32_t file, enum vv_match_rank how);

/* The claim of a place, of which more may come meanwhile; false at the end. */
bool vv_work_queue_claim_at(const struct vv_work_queue *work_queue,
    size_t place, struct vv_claim *claim);
void vv_work_queue_end_claims(struct vv_work_queue *work_queue);

/* --- Offers -----------------------------------------------------------------
 */

/* Notes a node that is offered children; false without memory. */
bool vv_work_queue_demand(
    struct vv_work_queue *work_queue, varve_node *node, uint32_t file);

/* Takes the next one; false where there is none. `place`: where it is looked
 * up, for its node may be freed meanwhile, and then is none. */
bool vv_work_queue_take_demand(struct vv_work_queue *work_queue, size_t *place);
struct vv_pair vv_work_queue_demand_at(
    const struct vv_work_queue *work_queue, size_t place);
void vv_work_queue_end_demands(struct vv_work_queue *work_queue);

/* --- Names ------------------------------------------------------------------
 */

/* Notes a node that is looked for by name; false without memory. */
bool vv_work_queue_add_unnamed(
    struct vv_work_queue *work_queue, varve_node *node);

/* How many there are, without those that were freed; the node of a place. */
size_t vv_work_queue_unnamed_count(struct vv_work_queue *work_queue);
varve_node *vv_work_queue_unnamed_at(
    const struct vv_work_queue *work_queue, size_t place);
void vv_work_queue_end_unnamed(struct vv_work_queue *work_queue);

#endif
