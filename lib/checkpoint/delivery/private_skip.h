/* private_skip.h - Decides about the parts of a rank-local node in a file
 * (own_part.h): those of other processes are excluded. If the number of
 * processes differs, the options of the node decide.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_OWN_DELIVERY_STATE_H
#define VV_OWN_DELIVERY_STATE_H

#include "delivery.h"

/* The reason why a node of the file is not for this process. */
enum vv_private_skip {
    VV_OWN,        /* it is for this process, or nothing is known */
    VV_OF_ANOTHER, /* same number of processes; another process owns it */
    VV_LEFT,       /* another number of processes; dropped */
    VV_TO_FOLD,    /* another number of processes; for a merge callback */
    VV_FOLDED,     /* for a rank-local node itself: the callback has run */
};

/* Decides about a rank-local node that is bound. Records the parts of other
 * processes for vv_leave_out_others. */
void vv_decide_own(struct vv_delivery *d, varve_node *node, uint32_t file);

/* Excludes the nodes that vv_decide_own has recorded, for all rank-local nodes
 * at once. */
void vv_leave_out_others(struct vv_delivery *d);

/* Returns the reason why a node of the file is not for this process, or VV_OWN.
 */
enum vv_private_skip vv_private_skip(
    const struct vv_delivery *d, uint32_t file);

/* Returns the reason as text, or NULL for VV_OWN. */
const char *vv_not_own_text(const struct vv_delivery *d, uint32_t file);

/* Returns true if the options of a rank-local node prevent that anything below
 * it is restored. */
bool vv_is_left_to_program(const struct vv_delivery *d, const varve_node *node);

/* Takes the next node to be merged. Returns false if there is none. vv_put_fold
 * puts it back after a failure, and cannot run out of memory. */
bool vv_take_fold(struct vv_delivery *d, struct vv_pair *pair);
void vv_put_fold(struct vv_delivery *d, const struct vv_pair *pair);

#endif
