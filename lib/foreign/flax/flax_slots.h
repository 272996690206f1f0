/* flax_slots.h - Finds the optimizer state of each parameter: trees with the
 * same names and shapes as the tree named `params`, in objects beside it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_FLAX_SLOTS_H
#define VV_FLAX_SLOTS_H

#include "draft.h"

/* Adds a slot for each variable of such a tree. Its owner is the object that
 * contains the tree, its name is that of the tree, and its variable is the
 * parameter. The tree stays in the draft. A parameter that is left out or empty
 * has no slot (optax.masked). */
varve_status vv_flax_slots_add(struct vv_draft *draft, varve_error *error);

#endif
