/* strided.h - a value whose elements lie apart, as if it lay row-major.
 *
 * The views have strides (varve/memory.h). Alignment does not matter.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_STRIDED_H
#define VV_STRIDED_H

#include <stddef.h>
#include <stdint.h>

#include <varve/memory.h>

/* Returns the bytes between two elements, in either direction. */
static inline uint64_t vv_stride_magnitude(int64_t stride)
{
    return stride < 0 ? 0 - (uint64_t)stride : (uint64_t)stride;
}

/* Whether no two elements share a byte, as far as that is plain to see: each
 * dimension goes past all that those with smaller strides span, and all of them
 * span at most PTRDIFF_MAX bytes, the most that memory has. */
bool vv_strides_are_apart(const varve_tensor *tensor);

/* Copies whole elements of the value, from `offset` on, out of their places or
 * into them. */
void vv_strided_out(
    const varve_tensor *tensor, uint64_t offset, void *bytes, size_t size);
void vv_strided_in(const varve_tensor *tensor, uint64_t offset,
    const void *bytes, size_t size);

#endif
