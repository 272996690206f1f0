/* bundle_roles.h - Determines the role of each node in a TensorFlow checkpoint:
 * an object with a number, or an attribute or entry as in the file that the
 * graph was read from.
 *
 * Objects are numbered in the order of the nodes, which is TensorFlow's order:
 * breadth first, slot variables last. The save counter is a variable that
 * TensorFlow adds as the last child of node 0.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_BUNDLE_ROLES_H
#define VV_BUNDLE_ROLES_H

#include "bundle_kept.h"

struct vv_bundle_roles {
    const struct vv_target *target;
    uint32_t counter; /* the node before which the save counter is numbered;
                         VV_NONE: no counter */
    uint32_t counter_number; /* the number of its object */
    uint8_t *roles;          /* by node: enum vv_bundle_role */
    uint32_t *numbers;       /* by node: the number of its object */
    bool *has_values;        /* by node: it or a descendant has a value */
    bool omits_slots;  /* slots are not written: a reader finds them by position
                          (bundle_object.h) */
    bool *is_left_out; /* by node: it is only a slot variable, of slots that are
                          all omitted */
};

/* Determines the roles. There is no save counter if the root cannot have
 * children or has a child of that name. */
varve_status vv_bundle_roles_begin(struct vv_bundle_roles *roles,
    const struct vv_target *target, varve_error *error);

/* Must be called even if vv_bundle_roles_begin failed. */
void vv_bundle_roles_end(struct vv_bundle_roles *roles);

/* Returns true if a slot is written: both its variable and its node have a
 * value. Readers accept only such slots. */
bool vv_bundle_slot_is_kept(const struct vv_bundle_roles *roles, uint32_t slot);

/* Returns true if a node has a value that is written. */
bool vv_bundle_has_value(const struct vv_bundle_roles *roles, uint32_t node);

/* Returns true if a node is an object, with or without a value, and not an
 * attribute or an entry. */
static inline bool vv_bundle_is_object(
    const struct vv_bundle_roles *roles, uint32_t node)
{
    return roles->roles[node] == VV_ROLE_OBJECT;
}

#endif
