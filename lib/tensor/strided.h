/* strided.h - Copies values whose elements are not contiguous, to or from
 * row-major order.
 *
 * The views have strides (varve/memory.h). Alignment is not required.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_STRIDED_H
#define VV_STRIDED_H

#include <stddef.h>
#include <stdint.h>

#include <varve/memory.h>

/* Returns the distance in bytes between two elements, in either direction. */
static inline uint64_t vv_stride_magnitude(int64_t stride)
{
    return stride < 0 ? 0 - (uint64_t)stride : (uint64_t)stride;
}

/* Returns true if it is easy to prove that no two elements share a byte: each
 * dimension has a stride beyond the span of all dimensions with smaller
 * strides, and the whole span is at most PTRDIFF_MAX bytes. */
bool vv_strides_are_disjoint(const varve_tensor *tensor);

/* Copy whole elements of the value, starting at `offset`: vv_strided_out from
 * their positions to `bytes`, vv_strided_in from `bytes` to their positions. */
void vv_strided_out(
    const varve_tensor *tensor, uint64_t offset, void *bytes, size_t size);
void vv_strided_in(const varve_tensor *tensor, uint64_t offset,
    const void *bytes, size_t size);

#endif
