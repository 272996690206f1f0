/* bundle_roles.h - what each node of a graph is in a TensorFlow checkpoint: an
 * object with a number, or an attribute of one, as it was in the file that the
 * graph was made from.
 *
 * Objects are numbered as ours, which is as TensorFlow numbers them: breadth
 * first, slot variables behind all others. A save counter is a variable that
 * TensorFlow hangs at node 0, behind the children that this has.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_BUNDLE_ROLES_H
#define VV_BUNDLE_ROLES_H

#include "bundle_kept.h"

struct vv_bundle_roles {
    const struct vv_target *target;
    uint32_t counter;        /* the node before which the save counter's object
                                stands; VV_NONE: there is none */
    uint32_t counter_number; /* of that object */
    uint8_t *roles;          /* by node: enum vv_bundle_role */
    uint32_t *numbers;       /* by node: of its object */
    bool *has_values;        /* by node: it or one below it has */
    bool omits_slots;        /* a reader finds them again (bundle_moments.h) */
    bool *is_left_out; /* by node: it is a slot variable only, and of none of
                          the slots that are kept */
};

/* No save counter is put where the root cannot have a child or has one of that
 * name already. */
varve_status vv_bundle_roles_begin(struct vv_bundle_roles *roles,
    const struct vv_target *target, varve_error *error);

/* Also after a begin that failed. */
void vv_bundle_roles_end(struct vv_bundle_roles *roles);

/* Whether a slot is recorded: only that of a variable with a value, with a
 * value of its own, is one that a reader takes for a slot. */
bool vv_bundle_slot_is_kept(const struct vv_bundle_roles *roles, uint32_t slot);

/* Whether a node has a value that is written. */
bool vv_bundle_has_value(const struct vv_bundle_roles *roles, uint32_t node);

/* Whether it is an object, with its value if it has one; not a part of another
 * or an entry. */
static inline bool vv_bundle_is_object(
    const struct vv_bundle_roles *roles, uint32_t node)
{
    return roles->roles[node] == VV_ROLE_OBJECT;
}

#endif
