/* gguf_type.h - Lists the element types of GGUF (enum ggml_type in ggml.h of
 * github.com/ggml-org/ggml) and the block sizes of the quantised ones.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_GGUF_TYPE_H
#define VV_GGUF_TYPE_H

#include <varve/tensor.h>

struct vv_gguf_type {
    uint32_t number;
    uint16_t block;    /* number of elements of a row in a block */
    uint16_t size;     /* size of a block in bytes */
    varve_dtype dtype; /* 0 if Varve does not have the type */
    const char *tag;   /* such as "gguf:Q4_K" */
};

/* Returns a type by its number, or NULL if the number is unknown or no longer
 * used. */
const struct vv_gguf_type *vv_gguf_type_of(uint32_t number);

/* Returns the type for an element type, or NULL if GGUF does not have it. */
const struct vv_gguf_type *vv_gguf_type_for(varve_dtype dtype);

/* Sets *size to the size of a tensor of whole blocks. Returns false if it does
 * not fit in 64 bits. */
bool vv_gguf_type_size(
    const struct vv_gguf_type *type, uint64_t count, uint64_t *size);

#endif
