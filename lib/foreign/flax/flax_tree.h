/* flax_tree.h - maps and lists as objects of a draft, and what is in them as
 * its values.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_FLAX_TREE_H
#define VV_FLAX_TREE_H

#include "draft.h"
#include "foreign.h"

/* Adds all of a file. */
varve_status vv_flax_tree_add(
    struct vv_foreign *foreign, struct vv_draft *draft, varve_error *error);

#endif
