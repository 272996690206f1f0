/* slot.h - the second kind of edge: between an owner, a variable and a name.
 * Who makes slot variables is in add_slot.c.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SLOT_H
#define VV_SLOT_H

#include <varve/variable.h>

#include "attachment.h"

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

/* Where a node has to do with a slot other than as its owner: it is one, or
 * there are slots for it, of which this is the first. */
struct vv_slot_end {
    struct vv_attachment attachment;
    /* own */
    struct vv_slot *slot;
};

extern const struct vv_attachment_kind vv_as_slot_kind, vv_slots_for_kind;

/* The slot that a node is, and the first that others have for it; of any node,
 * or NULL. */
static inline struct vv_slot *vv_as_slot(const varve_node *node)
{
    const struct vv_slot_end *end = vv_attachment_find(node, &vv_as_slot_kind);
    return end ? end->slot : NULL;
}

static inline struct vv_slot *vv_first_slot_for(const varve_node *node)
{
    const struct vv_slot_end *end =
        vv_attachment_find(node, &vv_slots_for_kind);
    return end ? end->slot : NULL;
}

struct vv_slot *vv_slot_find(const varve_node *owner,
    const varve_node *variable, const struct vv_name *name);

/* Makes a variable without edges a slot that may be made, and tells the
 * observers; its value is settled by whoever calls. Frees it, and gives nil,
 * without memory; takes nil. */
varve_node *vv_slot_attach(varve_node *owner, varve_node *variable,
    const char *name, varve_node *node);

/* Unlinks and frees the slot; its node stays. */
void vv_slot_remove(struct vv_slot *slot);

/* The first slot of an owner. */
struct vv_slot *vv_slot_first_of(const varve_node *owner);

#endif
