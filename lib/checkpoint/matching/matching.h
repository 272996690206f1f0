/* matching.h - finding who stands for whom: a pairing, in which it is noted,
 * and the delivery, which is told at once what that means for values.
 *
 * At once and not by a list: whether a claim is the better one may depend on
 * what has become of a value meanwhile. Every new edge or slot of the program
 * is matched in the same way as those that were there at first.
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
    bool needs_sweep; /* edges were removed since the last one, */
    /* own */
    uint64_t sweeps; /* of which there were so many */
    bool *was_there; /* by edge of the file: a node that makes children on
                        demand had it; NULL: none was asked */
    bool is_by_name; /* global names matter: all of the program is visited */
    struct vv_buffer sorted; /* scratch: the edges of one node */
    struct vv_buffer name;   /* scratch */
};

/* With nothing to do; both stay where they are. */
void vv_matching_init(struct vv_matching *matching, struct vv_pairing *pairing,
    struct vv_delivery *delivery);

/* After both of them have begun. */
void vv_matching_begin(struct vv_matching *matching);
void vv_matching_end(struct vv_matching *matching);

/* Forgets a program that is gone, as the pairing does with it. */
void vv_matching_forget_graph(struct vv_matching *matching);

/* Remembers that matching has to be done again when there is memory. */
void vv_out_of_memory(struct vv_matching *matching);

/* The same, if the ways have run out of memory. */
void vv_look_for_lost_ways(struct vv_matching *matching);

/* Room in the tables by number for every node there is; false without, which is
 * remembered. */
bool vv_know_numbers(struct vv_matching *matching);

/* Queues a node of the program; without memory all is matched again. */
void vv_queue(struct vv_matching *matching, varve_node *node, uint32_t file);

/* A claim that is made when those by path have been. */
void vv_defer(struct vv_matching *matching, varve_node *node, uint32_t file,
    enum vv_match_rank how);

/* Notes how a node was come to, where paths matter; queues it when that is
 * new. */
void vv_visit(struct vv_matching *matching, varve_node *node,
    const struct vv_path_step *via);

/* Queues a node that has been visited, if it can have a value and none. */
void vv_consider_by_name(struct vv_matching *matching, varve_node *node);

#endif
