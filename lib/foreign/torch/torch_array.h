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
    bool is_fortran; /* column by column */
    bool is_swapped; /* big-endian */
    uint32_t data;   /* the item that has its bytes */
    uint64_t size;   /* that its shape says */
};

/* Returns true if a call makes an array of NumPy of a type that is one of ours,
 * and may have as many bytes as its shape says. */
bool vv_torch_array(const struct vv_pickle *pickle, uint32_t item,
    struct vv_torch_array *array);

/* Adds its elements, little-endian and row-major; false where there are not as
 * many bytes. */
bool vv_torch_array_add(const struct vv_pickle *pickle,
    const struct vv_torch_array *array, struct vv_buffer *bytes);

#endif
