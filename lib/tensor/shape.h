/* shape.h - counts and sizes, checked for overflow.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SHAPE_H
#define VV_SHAPE_H

#include <stddef.h>

#include <varve/memory.h>
#include <varve/tensor.h>

/* The number of elements; false when it does not fit 64 bits. Extents of 0 make
 * it 0, however large the others are. */
bool vv_shape_count(uint32_t rank, const uint64_t *extents, uint64_t *count);

/* count * size, false on overflow. */
bool vv_size_of(uint64_t count, uint64_t size, uint64_t *total);

/* Whether the view has a known element type, rank up to VARVE_MAX_RANK, and a
 * size in memory that fits both 64 bits and size_t. */
bool vv_tensor_is_valid(const varve_tensor *tensor);

/* As many bytes as a tensor of that rank has to have: what stands behind the
 * extents may be missing. */
static inline size_t vv_tensor_bytes(uint32_t rank)
{
    return offsetof(varve_tensor, shape) + rank * sizeof(uint64_t);
}

/* A copy of such a tensor. */
varve_tensor vv_tensor_copy(const varve_tensor *tensor);

/* The rank of a view of an array of rows whose extents are not those of the
 * array (varve_view_of_rows): no valid one. */
#define VV_RANK_OF_OTHER_ROWS UINT32_MAX

bool vv_shape_equal(const varve_tensor *a, const varve_tensor *b);

/* What an extent is at this moment: its number, or the integer at its address.
 * What is below 0 becomes an extent that no view can have. */
uint64_t vv_extent_now(const varve_extent *extent);

#endif
