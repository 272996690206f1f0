/* slot.h - slot variables: an edge between an owner, a variable and a name.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SLOT_H
#define VV_SLOT_H

#include <varve/variable.h>

#include "node.h"

struct vv_slot {
    /* to read */
    varve_slot public; /* what the program sees; first */
    const struct vv_name *name;
    varve_node *owner;
    struct vv_slot *next; /* of the same owner */
    struct vv_slot *previous;
    struct vv_slot *next_on; /* for the same variable */
    struct vv_slot *previous_on;
};

struct vv_slot *vv_slot_find(const varve_node *owner,
    const varve_node *variable, const struct vv_name *name);

/* Makes a variable without edges a slot that may be made; its value is settled
 * by whoever calls. Frees it, and gives nil, without memory; takes nil. */
varve_node *vv_slot_attach(varve_node *owner, varve_node *variable,
    const char *name, varve_node *node);

/* Unlinks and frees the slot; its node stays. */
void vv_slot_remove(struct vv_slot *slot);

/* The first slot of an owner. */
struct vv_slot *vv_slot_first_of(const varve_node *owner);

#endif
