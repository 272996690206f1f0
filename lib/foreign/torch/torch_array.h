/* torch_array.h - Finds NumPy arrays in a pickle.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TORCH_ARRAY_H
#define VV_TORCH_ARRAY_H

#include <varve/tensor.h>

#include "buffer.h"
#include "pickle.h"

struct vv_torch_array {
    /* to read */
    varve_tensor type;
    bool is_fortran; /* column-major */
    bool is_swapped; /* big-endian */
    uint32_t data;   /* the item that contains the bytes */
    uint64_t size;   /* in bytes, computed from the shape */
};

/* Returns true if a call creates a NumPy array of a supported type whose size
 * may match its shape. */
bool vv_torch_array(const struct vv_pickle *pickle, uint32_t item,
    struct vv_torch_array *array);

/* Appends the elements in little-endian row-major order. Returns false if the
 * size does not match the shape. */
bool vv_torch_array_add(const struct vv_pickle *pickle,
    const struct vv_torch_array *array, struct vv_buffer *bytes);

#endif
