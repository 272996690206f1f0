/* torch_python.h - Recognizes calls of Python and NumPy functions in a pickle
 * that create bytes, numbers, containers and arrays.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TORCH_PYTHON_H
#define VV_TORCH_PYTHON_H

#include <varve/tensor.h>

#include "buffer.h"
#include "pickle.h"

/* --- Functions and classes ------------------------------------------------ */

/* Recognizes calls of Python and NumPy functions that create bytes, numbers and
 * containers. */

enum { VV_TORCH_MOST_BYTES = 256 };

/* Sets `bytes` to the bytes of an item: an item of bytes, or a text that
 * _codecs.encode converts to bytes, as protocols before 3 write them. Returns
 * false for more than VV_TORCH_MOST_BYTES bytes and for all other items. */
bool vv_torch_bytes(const struct vv_pickle *pickle, uint32_t item,
    unsigned char bytes[VV_TORCH_MOST_BYTES], size_t *size);

/* Returns true if a call encodes a text in Latin-1 by _codecs.encode. */
bool vv_torch_is_latin1(const struct vv_pickle *pickle, uint32_t item);

/* Returns the type of a numpy.dtype and sets *is_swapped if it is big-endian;
 * returns 0 if the type is not supported. */
varve_dtype vv_torch_numpy_type(
    const struct vv_pickle *pickle, uint32_t item, bool *is_swapped);

/* Sets *dtype and *bits to the type and the little-endian bytes of a number
 * that numpy's `scalar` creates. Returns false for numbers of more than 8 bytes
 * and for all other items. */
bool vv_torch_numpy(const struct vv_pickle *pickle, uint32_t item,
    varve_dtype *dtype, uint64_t *bits);

/* Returns true if a function or class only makes a container of its argument.
 */
bool vv_torch_makes_container(
    const struct vv_pickle *pickle, uint32_t function);

/* Returns the list of pairs that Python 2 gives to an OrderedDict, or None. */
uint32_t vv_torch_pairs_of(
    const struct vv_pickle *pickle, const struct vv_pickle_item *call);

/* Returns the item to use in place of another: for a call that only makes a
 * container of another container, the latter; otherwise `item` itself. */
uint32_t vv_torch_same(const struct vv_pickle *pickle, uint32_t item);

/* --- Arrays --------------------------------------------------------------- */

/* Finds NumPy arrays in a pickle. */

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
