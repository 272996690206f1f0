/* safetensors_kept.c - Stores the position in the table of types, and the
 * extents.
 *
 * SPDX-License-Identifier: MIT
 */
#include "safetensors_kept.h"

#include <string.h>

#include "bytes.h"

enum { TYPE = 0, RANK = 1, SIZE = 2, SHAPE = 10 }; /* offsets of the fields */

void vv_safetensors_keep(struct vv_draft *draft, uint32_t node,
    const struct vv_safetensors_info *info)
{
    unsigned char kept[SHAPE + 8 * VARVE_MAX_RANK];
    size_t size = SHAPE;
    kept[TYPE] = (unsigned char)(info->dtype - vv_safetensors_dtypes);
    kept[RANK] = (unsigned char)info->type.rank;
    vv_store64(kept + SIZE, info->end - info->begin);
    for (uint32_t i = 0; i < info->type.rank; i++, size += 8)
        vv_store64(kept + size, info->type.shape[i]);
    vv_draft_keep(draft, node, kept, size);
}

bool vv_safetensors_kept_of(const struct vv_target *target, uint32_t node,
    struct vv_safetensors_info *info)
{
    size_t size = 0;
    const struct vv_index *index = target->index;
    uint32_t value = vv_index_find_value(index, node);
    const unsigned char *kept =
        target->kept ? target->kept(target->user, node, &size) : NULL;
    if (!kept || value == VV_NONE ||
        vv_index_kind(index, node) != VARVE_STATE ||
        vv_load64(kept + SIZE) != vv_at64(index->value_sizes, value))
        return false;
    *info =
        (struct vv_safetensors_info){ .dtype = &vv_safetensors_dtypes[*kept] };
    info->type.rank = kept[RANK];
    for (uint32_t i = 0; i < info->type.rank; i++)
        info->type.shape[i] = vv_load64(kept + SHAPE + 8 * i);
    return true;
}

bool vv_safetensors_keeps_tag(
    const struct vv_target *target, uint32_t node, uint32_t name)
{
    struct vv_safetensors_info info;
    size_t size, before = strlen(VV_SAFETENSORS_TAG);
    if (!vv_safetensors_kept_of(target, node, &info))
        return false;
    const char *tag = vv_index_name(target->index, name, &size);
    return size == before + strlen(info.dtype->name) &&
           memcmp(tag, VV_SAFETENSORS_TAG, before) == 0 &&
           memcmp(tag + before, info.dtype->name, size - before) == 0;
}
