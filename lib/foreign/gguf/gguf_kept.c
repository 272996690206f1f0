/* gguf_kept.c - Stores entries, each preceded by its size and a hash of its
 * text.
 *
 * SPDX-License-Identifier: MIT
 */
#include "gguf_kept.h"

#include "bytes.h"
#include "checksum.h"
#include "typed_memory.h"

/* --- Element types -------------------------------------------------------- */

/* Numbers that are missing were removed from ggml. */
static const struct vv_gguf_type types[] = {
    { 0, 1, 4, VARVE_FLOAT32, "gguf:F32" },
    { 1, 1, 2, VARVE_FLOAT16, "gguf:F16" },
    { 2, 32, 18, 0, "gguf:Q4_0" },
    { 3, 32, 20, 0, "gguf:Q4_1" },
    { 6, 32, 22, 0, "gguf:Q5_0" },
    { 7, 32, 24, 0, "gguf:Q5_1" },
    { 8, 32, 34, 0, "gguf:Q8_0" },
    { 9, 32, 36, 0, "gguf:Q8_1" },
    { 10, 256, 84, 0, "gguf:Q2_K" },
    { 11, 256, 110, 0, "gguf:Q3_K" },
    { 12, 256, 144, 0, "gguf:Q4_K" },
    { 13, 256, 176, 0, "gguf:Q5_K" },
    { 14, 256, 210, 0, "gguf:Q6_K" },
    { 15, 256, 292, 0, "gguf:Q8_K" },
    { 16, 256, 66, 0, "gguf:IQ2_XXS" },
    { 17, 256, 74, 0, "gguf:IQ2_XS" },
    { 18, 256, 98, 0, "gguf:IQ3_XXS" },
    { 19, 256, 50, 0, "gguf:IQ1_S" },
    { 20, 32, 18, 0, "gguf:IQ4_NL" },
    { 21, 256, 110, 0, "gguf:IQ3_S" },
    { 22, 256, 82, 0, "gguf:IQ2_S" },
    { 23, 256, 136, 0, "gguf:IQ4_XS" },
    { 24, 1, 1, VARVE_INT8, "gguf:I8" },
    { 25, 1, 2, VARVE_INT16, "gguf:I16" },
    { 26, 1, 4, VARVE_INT32, "gguf:I32" },
    { 27, 1, 8, VARVE_INT64, "gguf:I64" },
    { 28, 1, 8, VARVE_FLOAT64, "gguf:F64" },
    { 29, 256, 56, 0, "gguf:IQ1_M" },
    { 30, 1, 2, VARVE_BFLOAT16, "gguf:BF16" },
    { 34, 256, 54, 0, "gguf:TQ1_0" },
    { 35, 256, 66, 0, "gguf:TQ2_0" },
    { 39, 32, 17, 0, "gguf:MXFP4" },
    { 40, 64, 36, 0, "gguf:NVFP4" },
    { 41, 128, 18, 0, "gguf:Q1_0" },
};

_Static_assert(VARVE_DTYPE_COUNT == 18,
    "new element type: add it to this table if the format has it");

const struct vv_gguf_type *vv_gguf_type_of(uint32_t number)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (types[i].number == number)
            return &types[i];
    }
    return NULL;
}

const struct vv_gguf_type *vv_gguf_type_for(varve_dtype dtype)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (types[i].dtype == dtype)
            return &types[i];
    }
    return NULL;
}

bool vv_gguf_type_size(
    const struct vv_gguf_type *type, uint64_t count, uint64_t *size)
{
    return vv_size_of(count / type->block, type->size, size);
}

/* --- Stored properties ---------------------------------------------------- */

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
