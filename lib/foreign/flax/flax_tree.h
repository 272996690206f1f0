/* flax_tree.h - Adds maps and lists to a draft as objects, and their leaves as
 * values.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_FLAX_TREE_H
#define VV_FLAX_TREE_H

#include "draft.h"
#include "foreign.h"

/* Adds the contents of a file to the draft. */
varve_status vv_flax_tree_add(
    struct vv_foreign *foreign, struct vv_draft *draft, varve_error *error);

#endif
