/* torch_python.h - calls of Python's and NumPy's that make bytes and numbers.
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

/* The number that numpy's `scalar` makes: its type, and its little-endian bytes
 * as bits. False for those of more than 8 bytes, and for all else. */
bool vv_torch_numpy(const struct vv_pickle *pickle, uint32_t item,
    varve_dtype *dtype, uint64_t *bits);

#endif
