/* gguf_type.h - the element types of GGUF (enum ggml_type in ggml.h of
 * github.com/ggml-org/ggml), and the blocks that the quantised ones come in.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_GGUF_TYPE_H
#define VV_GGUF_TYPE_H

#include <varve/tensor.h>

struct vv_gguf_type {
    uint32_t number;
    uint16_t block;    /* elements of a row that are stored together */
    uint16_t size;     /* bytes of a block */
    varve_dtype dtype; /* 0: we have none */
    const char *tag;   /* "gguf:Q4_K" */
};

/* NULL for a number that is no type, or that of one which is used no more. */
const struct vv_gguf_type *vv_gguf_type_of(uint32_t number);

/* The type of ours; NULL: there is none. */
const struct vv_gguf_type *vv_gguf_type_for(varve_dtype dtype);

/* The bytes of a tensor of whole blocks; false where 64 bits do not hold them.
 */
bool vv_gguf_type_size(
    const struct vv_gguf_type *type, uint64_t count, uint64_t *size);

#endif
