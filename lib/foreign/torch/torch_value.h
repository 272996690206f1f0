/* torch_value.h - numbers, texts and tensors of a pickle as variables of a
 * draft.
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
    uint64_t room;     /* bytes of all files */
    uint64_t arrays;   /* bytes of arrays of NumPy: no more than the pickle */
    uint64_t expanded; /* bytes of tensors that have more than their storages */
    struct vv_arena arena;
    struct vv_map tensors; /* that have a node, by what they are */
};

void vv_torch_values_init(struct vv_torch_values *values,
    struct vv_draft *draft, struct vv_torch_file *file,
    const struct vv_pickle *pickle);
void vv_torch_values_clear(struct vv_torch_values *values);

/* The variable of a bool, an integer, a real, a text, bytes or an integer of
 * any length: that one as an uint64, or else as the bytes of its two's
 * complement, with the tag `pickle:int`. */
varve_status vv_torch_add_scalar(
    struct vv_torch_values *values, uint32_t item, uint32_t *node);

/* The variable of an array of NumPy. *is_one is false for any other call, and
 * for an array beyond the bytes that the pickle has. */
varve_status vv_torch_add_array(struct vv_torch_values *values, uint32_t item,
    uint32_t *node, bool *is_one);

/* Whether a call of Python's or NumPy's makes a number or bytes; then the
 * variable of that. */
bool vv_torch_is_made(const struct vv_pickle *pickle, uint32_t item);
varve_status vv_torch_add_made(
    struct vv_torch_values *values, uint32_t item, uint32_t *node);

/* Whether an item with members has numbers only, integers or reals, and at
 * least one; then the variable of them all, a vector of int64 or float64. */
bool vv_torch_is_vector(const struct vv_pickle *pickle, uint32_t item);
varve_status vv_torch_add_vector(
    struct vv_torch_values *values, uint32_t item, uint32_t *node);

/* The variable of a tensor: of one that is the same under another name, that
 * one's. *is_one is false for a tensor of so many more bytes than its file that
 * it is not taken. VARVE_CORRUPT or VARVE_TRUNCATED where its storage does not
 * have it. */
varve_status vv_torch_add_tensor(struct vv_torch_values *values,
    const struct vv_torch_tensor *tensor, uint32_t *node, bool *is_one);

/* The variable of what is outside of the pickle: one of the tensors of the
 * file that are put together of pieces. */
varve_status vv_torch_add_pieced(
    struct vv_torch_values *values, uint32_t item, uint32_t *node);

#endif
