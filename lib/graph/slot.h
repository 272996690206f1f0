/* slot.h - Implements slots, the second kind of edge: a node with a name that
 * belongs to an owner and a variable. add_slot.c makes slot variables.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SLOT_H
#define VV_SLOT_H

#include <varve/variable.h>

#include "node.h"

struct vv_slot {
    /* to read */
    varve_slot public; /* visible to the program; must be first */
    const struct vv_name *name;
    varve_node *owner;
    struct vv_slot *next; /* slots of the same owner */
    struct vv_slot *previous;
    struct vv_slot *next_on; /* slots of the same variable */
    struct vv_slot *previous_on;
};

/* The attachment of a node that is a slot, or of a variable that has slots, of
 * which this is the first. */
struct vv_slot_end {
    struct vv_attachment attachment;
    /* own */
    struct vv_slot *slot;
};

extern const struct vv_attachment_kind vv_as_slot_kind, vv_slots_for_kind;

/* Return the slot that a node is, and the first slot of a variable; NULL: none.
 */
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

/* Returns the slot with this owner, variable and name, or NULL. */
struct vv_slot *vv_slot_find(const varve_node *owner,
    const varve_node *variable, const struct vv_name *name);

/* Makes a variable without edges a slot, which must be allowed, and notifies
 * the observers. The caller initializes its value. If memory runs out, frees
 * the variable and returns nil. Accepts nil. */
varve_node *vv_slot_attach(varve_node *owner, varve_node *variable,
    const char *name, varve_node *node);

/* Unlinks and frees the slot, but not its node. */
void vv_slot_remove(struct vv_slot *slot);

/* Returns the first slot of an owner. */
struct vv_slot *vv_slot_first_of(const varve_node *owner);

#endif
