/* torch_tensor.h - a tensor as a pickle of torch has it: a storage, and which
 * of its elements (torch/_utils.py: _rebuild_tensor_v2 and its kin).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TORCH_TENSOR_H
#define VV_TORCH_TENSOR_H

#include <varve/tensor.h>

#include "pickle.h"

enum vv_torch_kind {
    VV_TORCH_OTHER,  /* no tensor */
    VV_TORCH_TENSOR, /* one that we have */
    VV_TORCH_ALIEN,  /* one of a type, layout or rank that we do not have */
    VV_TORCH_BROKEN  /* a call that makes none of what it is given */
};

struct vv_torch_tensor {
    /* to read */
    varve_tensor type; /* element type and shape */
    bool has_storage;  /* else it is known, and has no value */
    uint32_t part;     /* the file of the storage, where there are several */
    uint32_t key;      /* of the storage: a text */
    uint64_t count;    /* elements of the storage */
    varve_dtype of;    /* of the storage: the type of these */
    uint64_t offset;   /* in elements of the tensor, as the strides are */
    uint64_t strides[VARVE_MAX_RANK];
    bool conjugated; /* as the elements are to be looked at: with the sign of */
    bool negated;    /* their imaginary parts turned, or of all */
    bool is_parameter;
    uint32_t name;        /* of an alien one: the global that says what it is */
    const char *expected; /* of a broken one */
};

/* Looks at an item: a parameter is the tensor in it. */
enum vv_torch_kind vv_torch_tensor(const struct vv_pickle *pickle,
    uint32_t item, struct vv_torch_tensor *tensor);

/* A number that is 0 or more. */
bool vv_torch_size_of(
    const struct vv_pickle *pickle, uint32_t item, uint64_t *size);

/* A tuple or list of such, or torch.Size of one; *count is how many it has, or
 * VARVE_MAX_RANK + 1 where it has more than VARVE_MAX_RANK. */
bool vv_torch_sizes(const struct vv_pickle *pickle, uint32_t item,
    uint64_t sizes[VARVE_MAX_RANK], uint32_t *count);

/* How many bytes its elements take; false where 64 bits do not hold it. */
bool vv_torch_size(const struct vv_torch_tensor *tensor, uint64_t *size);

/* The highest place in its storage that a tensor has, plus 1, in its elements;
 * 0 of none. False where 64 bits do not hold it. */
bool vv_torch_extent(const struct vv_torch_tensor *tensor, uint64_t *extent);

/* How many elements lie one behind the other, row-major, before the next begin
 * elsewhere, and how many dimensions such runs have; 0: it is one run. */
uint64_t vv_torch_run(const struct vv_torch_tensor *tensor, uint32_t *outer);

#endif
