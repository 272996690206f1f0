/* torch_python.h - calls of Python's and NumPy's that make bytes, numbers
 * and containers.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TORCH_PYTHON_H
#define VV_TORCH_PYTHON_H

#include <varve/tensor.h>

#include "pickle.h"

enum { VV_TORCH_MOST_BYTES = 256 };

/* The bytes of an item that is such, or that _codecs.encode makes of a text, as
 * protocols before 3 have them; false for more than so many, and for all
 * else. */
bool vv_torch_bytes(const struct vv_pickle *pickle, uint32_t item,
    unsigned char bytes[VV_TORCH_MOST_BYTES], size_t *size);

/* Whether a call is _codecs.encode of something to Latin-1. */
bool vv_torch_is_latin1(const struct vv_pickle *pickle, uint32_t item);

/* The type that a numpy.dtype says, and whether it is big-endian; 0: none of
 * ours. */
varve_dtype vv_torch_numpy_type(
    const struct vv_pickle *pickle, uint32_t item, bool *is_swapped);

/* The number that numpy's `scalar` makes: its type, and its little-endian bytes
 * as bits. False for those of more than 8 bytes, and for all else. */
bool vv_torch_numpy(const struct vv_pickle *pickle, uint32_t item,
    varve_dtype *dtype, uint64_t *bits);

/* Whether a function or class only makes a container of what it is given. */
bool vv_torch_makes_container(
    const struct vv_pickle *pickle, uint32_t function);

/* The pairs that an OrderedDict was given by Python 2; None: there are none. */
uint32_t vv_torch_pairs_of(
    const struct vv_pickle *pickle, const struct vv_pickle_item *call);

/* The item that stands for another one: for a call that only makes a container
 * of another, that one. */
uint32_t vv_torch_same(const struct vv_pickle *pickle, uint32_t item);

#endif
