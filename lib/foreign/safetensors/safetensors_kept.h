/* safetensors_kept.h - Stores type and shape of a tensor whose type Varve does
 * not have, so that it can be written again unchanged.
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

/* Sets the type and the shape of a state in its file. Returns false if nothing
 * was stored or the size of the state has changed. */
bool vv_safetensors_kept_of(const struct vv_target *target, uint32_t node,
    struct vv_safetensors_info *info);

/* The prefix of the tag of such a state. */
#define VV_SAFETENSORS_TAG "safetensors:"

/* Returns true if a tag of a node contains nothing beyond the type that is
 * written again. */
bool vv_safetensors_keeps_tag(
    const struct vv_target *target, uint32_t node, uint32_t name);

#endif
