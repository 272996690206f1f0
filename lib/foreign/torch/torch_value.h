/* torch_value.h - Adds the numbers, texts and tensors of a pickle to a draft as
 * variables.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TORCH_VALUE_H
#define VV_TORCH_VALUE_H

#include "draft.h"
#include "torch_file.h"

struct vv_torch_values {
    /* to fill in */
    struct vv_draft *draft;
    struct vv_torch_file *file;
    const struct vv_pickle *p;
    struct vv_torch_where where;
    /* own */
    uint64_t room;   /* size of all files in bytes */
    uint64_t arrays; /* bytes of NumPy arrays; at most the size of the pickle */
    uint64_t
        expanded; /* bytes of tensors that are larger than their storages */
    struct vv_arena arena;
    struct vv_map tensors; /* struct bound: tensors that have a node */
};

void vv_torch_values_init(struct vv_torch_values *values,
    struct vv_draft *draft, struct vv_torch_file *file,
    const struct vv_pickle *pickle);
void vv_torch_values_clear(struct vv_torch_values *values);

/* Adds the variable of a bool, an integer, a real, a text, bytes or an integer
 * of any length. The latter becomes a uint64 if possible; otherwise the bytes
 * of its two's complement, with the tag `pickle:int`. */
varve_status vv_torch_add_scalar(
    struct vv_torch_values *values, uint32_t item, uint32_t *node);

/* Adds the variable of a NumPy array. Sets *is_one to false for any other call,
 * and if all arrays together would be larger than the pickle. */
varve_status vv_torch_add_array(struct vv_torch_values *values, uint32_t item,
    uint32_t *node, bool *is_one);

/* vv_torch_is_made returns true if a call of Python or NumPy creates a number
 * or bytes; vv_torch_add_made adds its variable. */
bool vv_torch_is_made(const struct vv_pickle *pickle, uint32_t item);
varve_status vv_torch_add_made(
    struct vv_torch_values *values, uint32_t item, uint32_t *node);

/* vv_torch_is_vector returns true if all members of an item are integers or
 * reals, and there is at least one; vv_torch_add_vector adds them as a vector
 * of int64 or float64. */
bool vv_torch_is_vector(const struct vv_pickle *pickle, uint32_t item);
varve_status vv_torch_add_vector(
    struct vv_torch_values *values, uint32_t item, uint32_t *node);

/* Adds the variable of a tensor. If the same tensor was added under another
 * name, *node is that variable. Sets *is_one to false if the tensor is not
 * supported because it is much larger than its file. Returns VARVE_CORRUPT or
 * VARVE_TRUNCATED if its storage does not contain it. */
varve_status vv_torch_add_tensor(struct vv_torch_values *values,
    const struct vv_torch_tensor *tensor, uint32_t *node, bool *is_one);

/* Adds the variable of a tensor in pieces. */
varve_status vv_torch_add_pieced(
    struct vv_torch_values *values, uint32_t item, uint32_t *node);

#endif
