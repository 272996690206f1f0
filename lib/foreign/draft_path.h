/* draft_path.h - Turns the names of a flat file into a tree.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_DRAFT_PATH_H
#define VV_DRAFT_PATH_H

#include "draft.h"

/* Turns the paths of a draft into objects, edges and slots. The tree does not
 * depend on the order in which the paths were added: a prefix is processed
 * before the longer names that begin with it. */
void vv_draft_resolve_paths(struct vv_draft *draft);

#endif
