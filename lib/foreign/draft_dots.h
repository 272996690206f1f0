/* draft_dots.h - names with dots as a tree: `layers.0.weight` as
 * `layers/0/weight`.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_DRAFT_DOTS_H
#define VV_DRAFT_DOTS_H

#include "draft.h"

/* Splits the names of edges at their dots, in a draft without paths; objects
 * between are made. A name with an empty part, one that begins with that of a
 * value, and one that would be there twice stays, as far as it does not fit.
 * Slots, what is there under several names, and global names are as before. So
 * that a file costs not much more than its bytes, names stay whole once there
 * are more objects than one that means them has. */
void vv_draft_split_dots(struct vv_draft *draft);

#endif
