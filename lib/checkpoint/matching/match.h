/* match.h - pairing the nodes of the program with the nodes of the file.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_MATCH_H
#define VV_MATCH_H

#include "matching.h"

/* Binds the roots and queues them. */
void vv_match_roots(struct vv_matching *m);

/* Queues every node that the program has: after memory ran out. */
void vv_match_everything(struct vv_matching *m);

/* Matches one edge or slot whose ends may have come to be known. */
void vv_match_edge(struct vv_matching *m, struct vv_edge *edge);

/* The same for an edge of a list that another child has come to by a move: what
 * was matched stays what it was, whatever is at its new position in the
 * file. */
void vv_match_moved(struct vv_matching *m, struct vv_edge *edge);
void vv_match_slot(struct vv_matching *m, struct vv_slot *slot);

/* Matches what is queued, and what that leads to, until nothing is left;
 * nodes that make their children on demand are asked. */
void vv_match_queue(struct vv_matching *m);

/* Queues a node that has changed, if it is known. */
void vv_match_again(struct vv_matching *m, varve_node *node);

/* The node of the file that an edge or slot of the program would lead to, if it
 * were there; VV_NONE. */
uint32_t vv_match_child(
    struct vv_matching *m, varve_node *parent, const char *name);
uint32_t vv_match_slot_of(struct vv_matching *m, varve_node *owner,
    varve_node *variable, const char *name);

#endif
