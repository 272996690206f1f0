/* torch_tensor.h - Parses tensors in a torch pickle: a storage, and the
 * position of the elements in it (torch/_utils.py: _rebuild_tensor_v2 and
 * similar functions).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TORCH_TENSOR_H
#define VV_TORCH_TENSOR_H

#include <varve/tensor.h>

#include "pickle.h"

/* --- Element types -------------------------------------------------------- */

/* Maps element types to their names in PyTorch. */

/* Returns the element type that an item names: a storage class, such as
 * FloatStorage, or a dtype, such as torch.float32. UntypedStorage is uint8.
 * Returns 0 for unsupported types and for other items. */
varve_dtype vv_torch_type(const struct vv_pickle *pickle, uint32_t item);

/* Returns the name of the storage class in the module torch, or NULL if there
 * is none. */
const char *vv_torch_storage_of(varve_dtype dtype);

/* Returns the name of a type in the module torch. Strings have none and must
 * not be passed. */
const char *vv_torch_name_of_type(varve_dtype dtype);

/* --- Tensors -------------------------------------------------------------- */

enum vv_torch_kind {
    VV_TORCH_OTHER,  /* not a tensor */
    VV_TORCH_TENSOR, /* a supported tensor */
    VV_TORCH_ALIEN,  /* a tensor of an unsupported type, layout or rank */
    VV_TORCH_BROKEN  /* a call whose arguments are not those of a tensor */
};

struct vv_torch_tensor {
    /* to read */
    varve_tensor type; /* element type and shape */
    bool has_storage;  /* false: type and shape are known, but there is no value
                        */
    uint32_t part;     /* the number of the file that contains the storage */
    uint32_t key;      /* key of the storage, a text */
    uint64_t count;    /* number of elements in the storage */
    varve_dtype of;    /* element type of the storage */
    uint64_t offset;   /* in elements of the tensor, like the strides */
    uint64_t strides[VARVE_MAX_RANK];
    bool conjugated; /* the sign of the imaginary parts is inverted */
    bool negated;    /* the sign of all elements is inverted */
    bool is_parameter;
    uint32_t name; /* of an alien tensor: the global that describes it */
    const char
        *expected; /* of a broken tensor: the missing part, for the message */
};

/* Parses an item as a tensor. A parameter is parsed as the tensor in it. */
enum vv_torch_kind vv_torch_tensor(const struct vv_pickle *pickle,
    uint32_t item, struct vv_torch_tensor *tensor);

/* Sets *size to the value of an integer; returns false if it is negative or not
 * an integer. */
bool vv_torch_size_of(
    const struct vv_pickle *pickle, uint32_t item, uint64_t *size);

/* Sets `sizes` to the integers of a tuple, list or torch.Size. *count is their
 * number, or VARVE_MAX_RANK + 1 if there are more than VARVE_MAX_RANK. */
bool vv_torch_sizes(const struct vv_pickle *pickle, uint32_t item,
    uint64_t sizes[VARVE_MAX_RANK], uint32_t *count);

/* Sets *size to the bytes of all elements; returns false if that exceeds 64
 * bits. */
bool vv_torch_size(const struct vv_torch_tensor *tensor, uint64_t *size);

/* Sets *extent to the highest index in the storage of any element, plus 1, or
 * to 0 if the tensor has no elements. Returns false if that exceeds 64 bits. */
bool vv_torch_extent(const struct vv_torch_tensor *tensor, uint64_t *extent);

/* Returns the number of elements in a contiguous row-major run, and sets *outer
 * to the number of dimensions over which runs repeat. If *outer is 0, the
 * tensor is one run. */
uint64_t vv_torch_run(const struct vv_torch_tensor *tensor, uint32_t *outer);

#endif
