/* agenda.h - what is to be matched next: nodes that were come to, and claims
 * that wait until there are no better ones.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_AGENDA_H
#define VV_AGENDA_H

#include "matches.h"
#include "pair_list.h"

struct vv_agenda {
    /* own */
    struct vv_buffer queue; /* vv_pair: `file` is which of the nodes that it
                               stands for is meant, VV_NONE: all; or VV_VISIT */
    size_t queue_first;
    struct vv_pair_list deferred;   /* claims that are made when those by path
                                       have been */
    struct vv_buffer deferred_hows; /* uint8_t: vv_how, of the same place */
    struct vv_buffer demand; /* vv_pair: as `queue`, to be offered children */
    size_t offered;          /* of them */
    struct vv_pair_list unnamed; /* nodes that no path may lead to, to be
                                    looked for by global name */
};

/* All that it stands for, but it is asked for nothing. */
#define VV_VISIT (VV_NONE - 1)

void vv_agenda_init(struct vv_agenda *agenda, const varve_allocator *allocator);
void vv_agenda_end(struct vv_agenda *agenda);

/* Room for so many nodes in the queue, if there is memory; and letting go of
 * what it takes while it is empty. */
void vv_agenda_reserve(struct vv_agenda *agenda, size_t count);
void vv_agenda_shrink(struct vv_agenda *agenda);

/* Whether nodes or claims wait. */
bool vv_agenda_is_due(const struct vv_agenda *agenda);

/* Whether anything does, be it an offer or a name. */
bool vv_agenda_has_more(const struct vv_agenda *agenda);

/* Forgets a node that is about to be freed, or the claims and names of all. */
void vv_agenda_forget(struct vv_agenda *agenda, const varve_node *node);
void vv_agenda_forget_graph(struct vv_agenda *agenda);

/* --- Nodes ------------------------------------------------------------------
 */

/* Queues a node; false without memory. */
bool vv_agenda_add(struct vv_agenda *agenda, varve_node *node, uint32_t file);

/* Takes the next one; false where there is none. */
bool vv_agenda_take(struct vv_agenda *agenda, struct vv_pair *next);

/* --- Claims -----------------------------------------------------------------
 */

/* A claim that waits. */
struct vv_claim {
    /* to read */
    struct vv_pair pair; /* without a node: that was freed */
    enum vv_how how;
};

/* Notes a claim; false without memory. */
bool vv_agenda_defer(
    struct vv_agenda *agenda, varve_node *node, uint32_t file, enum vv_how how);

/* The claim of a place, of which more may come meanwhile; false at the end. */
bool vv_agenda_claim_at(
    const struct vv_agenda *agenda, size_t place, struct vv_claim *claim);
void vv_agenda_end_claims(struct vv_agenda *agenda);

/* --- Offers -----------------------------------------------------------------
 */

/* Notes a node that is offered children; false without memory. */
bool vv_agenda_demand(
    struct vv_agenda *agenda, varve_node *node, uint32_t file);

/* Takes the next one; false where there is none. `place`: where it is looked
 * up, for its node may be freed meanwhile, and then is none. */
bool vv_agenda_take_demand(struct vv_agenda *agenda, size_t *place);
struct vv_pair vv_agenda_demand_at(
    const struct vv_agenda *agenda, size_t place);
void vv_agenda_end_demands(struct vv_agenda *agenda);

/* --- Names ------------------------------------------------------------------
 */

/* Notes a node that is looked for by name; false without memory. */
bool vv_agenda_add_unnamed(struct vv_agenda *agenda, varve_node *node);

/* How many there are, without those that were freed; the node of a place. */
size_t vv_agenda_unnamed_count(struct vv_agenda *agenda);
varve_node *vv_agenda_unnamed_at(const struct vv_agenda *agenda, size_t place);
void vv_agenda_end_unnamed(struct vv_agenda *agenda);

#endif
