/* flax_slots.h - what an optimizer keeps of each parameter: trees that have the
 * names and shapes of those called `params`, below what is beside them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_FLAX_SLOTS_H
#define VV_FLAX_SLOTS_H

#include "draft.h"

/* Adds a slot for each: of the object that has such a tree, by the name of the
 * tree there, of the parameter. The tree stays. A parameter that is left out,
 * or empty, has none (optax.masked). */
varve_status vv_flax_slots_add(struct vv_draft *draft, varve_error *error);

#endif
