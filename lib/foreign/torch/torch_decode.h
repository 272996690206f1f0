/* torch_decode.h - Decodes values when they are read: numbers and texts of the
 * pickle, and tensors whose storage does not have the layout of Varve's own
 * format.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TORCH_DECODE_H
#define VV_TORCH_DECODE_H

#include "torch_file.h"

enum vv_torch_making {
    VV_TORCH_NUMBER, /* `at` contains the bits */
    VV_TORCH_TEXT,   /* `at`: offset in the pickle */
    VV_TORCH_BYTES,  /* `at`: offset in `bytes` of the file */
    VV_TORCH_ARRAY,  /* likewise: elements in their final form */
    VV_TORCH_VECTOR, /* `at`: index of the first of the file's numbers */
    VV_TORCH_GATHER, /* `at`: index in `tensors` of the file */
    VV_TORCH_PIECES  /* `at`: index in `pieced` of the file */
};

struct vv_torch_made {
    /* to fill in */
    uint32_t making; /* enum vv_torch_making */
    uint32_t size;   /* of a text or an array, in bytes */
    uint64_t at;
};

struct vv_torch_gathered {
    /* to fill in */
    struct vv_torch_tensor tensor;
    const struct vv_zip_entry *entry; /* the storage */
};

/* Returns true if a tensor is stored contiguously in the layout of Varve's own
 * format. */
bool vv_torch_is_plain(
    const struct vv_torch_file *file, const struct vv_torch_tensor *tensor);

/* Reads the `size` bytes of a tensor that is stored in another layout. */
varve_status vv_torch_gather(const struct vv_torch_file *file,
    const struct vv_torch_gathered *gathered, unsigned char *bytes, size_t size,
    varve_error *error);

/* Implements `decode_part` of struct vv_foreign. */
varve_status vv_torch_decode_part(const struct vv_foreign *foreign,
    uint64_t number, uint64_t at, unsigned char *bytes, size_t size,
    varve_error *error);

/* Implements `decode` of struct vv_foreign. */
varve_status vv_torch_decode(const struct vv_foreign *foreign, uint64_t number,
    unsigned char *bytes, size_t size, varve_error *error);

#endif
