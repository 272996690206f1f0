/* shape.h - Computes counts and sizes with overflow checks.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SHAPE_H
#define VV_SHAPE_H

#include <stddef.h>

#include <varve/memory.h>
#include <varve/tensor.h>

/* Sets *count to the number of elements; returns false if it does not fit in 64
 * bits. If an extent is 0, the count is 0, however large the others are. */
bool vv_shape_count(uint32_t rank, const uint64_t *extents, uint64_t *count);

/* Sets *total to count * size; returns false on overflow. */
bool vv_size_of(uint64_t count, uint64_t size, uint64_t *total);

/* Returns true if the view has a known element type, a rank up to
 * VARVE_MAX_RANK, and a size in memory that fits in both 64 bits and size_t. */
bool vv_tensor_is_valid(const varve_tensor *tensor);

/* Returns the number of bytes that a tensor of a rank must have. Callers may
 * omit the unused extents at its end. */
static inline size_t vv_tensor_bytes(uint32_t rank)
{
    return offsetof(varve_tensor, shape) + rank * sizeof(uint64_t);
}

/* varve_tensor_size without a call for scalars, which are many. */
static inline uint64_t vv_tensor_size(const varve_tensor *tensor)
{
    return tensor->rank == 0 ? varve_dtype_size(tensor->dtype)
                             : varve_tensor_size(tensor);
}

/* Returns a copy of such a tensor. */
varve_tensor vv_tensor_copy(const varve_tensor *tensor);

/* An invalid rank. Marks a view of an array of rows whose extents are not those
 * of the array (varve_view_of_rows). */
#define VV_RANK_OF_OTHER_ROWS UINT32_MAX

bool vv_shape_equal(const varve_tensor *a, const varve_tensor *b);

/* Returns the current value of an extent: its number, or the integer at its
 * address. A negative integer gives an extent that is invalid for every
 * view. */
uint64_t vv_extent_now(const varve_extent *extent);

#endif
