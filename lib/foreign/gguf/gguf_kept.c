/* gguf_kept.c - Stores entries, each preceded by its size and a hash of its
 * text.
 *
 * SPDX-License-Identifier: MIT
 */
#include "gguf_kept.h"

#include "bytes.h"
#include "checksum.h"

enum { HEAD = 16 /* size and hash */, NAME = 8 /* offset of the name */ };

void *vv_gguf_keep_entry(
    struct vv_buffer *kept, const char *text, size_t text_size, size_t size)
{
    vv_buffer_add64(kept, size);
    vv_buffer_add64(kept, text ? vv_hash_of(text, text_size) : 0);
    return vv_buffer_extend(kept, size);
}

bool vv_gguf_kept_next(const unsigned char *kept, size_t size, size_t *at,
    struct vv_gguf_entry *entry)
{
    if (size - *at < HEAD)
        return false;
    kept += *at;
    *entry = (struct vv_gguf_entry){
        .name = (const char *)kept + HEAD + NAME,
        .name_size = (size_t)vv_load64(kept + HEAD),
        .text = vv_load64(kept + 8),
        .bytes = kept + HEAD,
        .size = (size_t)vv_load64(kept),
    };
    *at += HEAD + entry->size;
    return true;
}

bool vv_gguf_entry_is(
    const struct vv_gguf_entry *entry, const char *text, size_t size)
{
    return entry->text == vv_hash_of(text, size);
}

size_t vv_gguf_keep_tensor(unsigned char kept[VV_GGUF_KEPT_TENSOR],
    const struct vv_gguf_tensor *tensor)
{
    vv_store32(kept, tensor->type->number);
    vv_store32(kept + 4, tensor->shape.rank);
    for (uint32_t i = 0; i < tensor->shape.rank; i++)
        vv_store64(kept + 8 + 8 * i, tensor->shape.shape[i]);
    return 8 + 8 * (size_t)tensor->shape.rank;
}

bool vv_gguf_kept_tensor(
    const unsigned char *kept, size_t size, struct vv_gguf_tensor *tensor)
{
    if (size < 8)
        return false;
    *tensor =
        (struct vv_gguf_tensor){ .type = vv_gguf_type_of(vv_load32(kept)) };
    tensor->shape.rank = vv_load32(kept + 4);
    if (!tensor->type || tensor->shape.rank > VV_GGUF_MOST_DIMENSIONS ||
        size != 8 + 8 * (size_t)tensor->shape.rank)
        return false;
    for (uint32_t i = 0; i < tensor->shape.rank; i++)
        tensor->shape.shape[i] = vv_load64(kept + 8 + 8 * i);
    return true;
}
