/* draft_path.h - the names of a flat file as a tree.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_DRAFT_PATH_H
#define VV_DRAFT_PATH_H

#include "draft.h"

/* Turns the paths of a draft into objects, edges and slots. What was added in
 * whatever order gives the same tree: shorter names come before those that they
 * begin. */
void vv_draft_resolve_paths(struct vv_draft *draft);

#endif
