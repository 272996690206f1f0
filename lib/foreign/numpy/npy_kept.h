/* npy_kept.h - what is kept of an array of a type that we do not have: its type
 * and shape, so that it is written again as it was.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_NPY_KEPT_H
#define VV_NPY_KEPT_H

#include "draft.h"
#include "npy_in.h"
#include "target.h"

/* Of a node of a draft, whose header was just parsed. Of a type as text of more
 * than 4 KiB nothing is kept. */
void vv_npy_keep(
    struct vv_draft *draft, uint32_t node, const struct vv_npy_header *header);

/* Sets what a state was in its file: kind, shape, size, order, version and
 * descr, which is valid as long as the graph is. False where nothing was kept,
 * or its bytes are not as many any more. */
bool vv_npy_kept_of(const struct vv_target *target, uint32_t node,
    struct vv_npy_header *header);

/* Whether a tag of a node says no more than what is written again. */
bool vv_npy_keeps_tag(
    const struct vv_target *target, uint32_t node, uint32_t name);

#endif
