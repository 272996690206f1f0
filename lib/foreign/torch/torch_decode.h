/* torch_decode.h - values that are made when they are asked for: numbers and
 * texts of the pickle, tensors that do not lie in their storage as they would
 * in a file of ours.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TORCH_DECODE_H
#define VV_TORCH_DECODE_H

#include "torch_file.h"

enum vv_torch_making {
    VV_TORCH_NUMBER, /* `at` is its bits */
    VV_TORCH_TEXT,   /* at this byte of the pickle */
    VV_TORCH_BYTES,  /* at this one of the file's bytes */
    VV_TORCH_ARRAY,  /* there too: elements as they are */
    VV_TORCH_VECTOR, /* from this one on of the file's numbers */
    VV_TORCH_GATHER, /* this one of the file's tensors */
    VV_TORCH_PIECES  /* this one of those in pieces */
};

struct vv_torch_made {
    /* to fill in */
    uint32_t making; /* enum vv_torch_making */
    uint32_t size;   /* of a text or an array */
    uint64_t at;
};

struct vv_torch_gathered {
    /* to fill in */
    struct vv_torch_tensor tensor;
    const struct vv_zip_entry *entry; /* its storage */
};

/* Whether a tensor lies in its storage as it would in a file of ours. */
bool vv_torch_is_plain(
    const struct vv_torch_file *file, const struct vv_torch_tensor *tensor);

/* The bytes of a tensor that does not lie as ours do, as many as it has. */
varve_status vv_torch_gather(const struct vv_torch_file *file,
    const struct vv_torch_gathered *gathered, unsigned char *bytes, size_t size,
    varve_error *error);

/* `decode_part` of struct vv_foreign. */
varve_status vv_torch_decode_part(const struct vv_foreign *foreign,
    uint64_t number, uint64_t at, unsigned char *bytes, size_t size,
    varve_error *error);

/* `decode` of struct vv_foreign. */
varve_status vv_torch_decode(const struct vv_foreign *foreign, uint64_t number,
    unsigned char *bytes, size_t size, varve_error *error);

#endif
