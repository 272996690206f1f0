/* npy_kept.h - Stores type and shape of an array whose type Varve does not
 * have, so that it can be written again unchanged.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_NPY_KEPT_H
#define VV_NPY_KEPT_H

#include "draft.h"
#include "npy_in.h"
#include "target.h"

/* Stores the type and the shape of a header that was just parsed with a node of
 * the draft. A type whose text is longer than 4 KiB is not stored. */
void vv_npy_keep(
    struct vv_draft *draft, uint32_t node, const struct vv_npy_header *header);

/* Sets *header to the type of a state in its file: kind, shape, size, order,
 * version and descr, which is valid as long as the graph. Returns false if
 * nothing was stored or the size of the state has changed. */
bool vv_npy_kept_of(const struct vv_target *target, uint32_t node,
    struct vv_npy_header *header);

/* Returns true if a tag of a node contains nothing beyond the type that is
 * written again. */
bool vv_npy_keeps_tag(
    const struct vv_target *target, uint32_t node, uint32_t name);

#endif
