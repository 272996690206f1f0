/* safetensors_kept.h - what is kept of a tensor of a type that we do not have:
 * its type and shape, so that it is written again as it was.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SAFETENSORS_KEPT_H
#define VV_SAFETENSORS_KEPT_H

#include "draft.h"
#include "safetensors_header.h"
#include "target.h"

void vv_safetensors_keep(struct vv_draft *draft, uint32_t node,
    const struct vv_safetensors_info *info);

/* Sets the type and the shape that a state had in its file. False where nothing
 * was kept, or its bytes are not as many any more. */
bool vv_safetensors_kept_of(const struct vv_target *target, uint32_t node,
    struct vv_safetensors_info *info);

/* The tag of such a state. */
#define VV_SAFETENSORS_TAG "safetensors:"

/* Whether a tag of a node says no more than what is written again. */
bool vv_safetensors_keeps_tag(
    const struct vv_target *target, uint32_t node, uint32_t name);

#endif
