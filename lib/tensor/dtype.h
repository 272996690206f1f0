/* dtype.h - the one table of element types.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_DTYPE_H
#define VV_DTYPE_H

#include <varve/tensor.h>

bool vv_dtype_is_valid(unsigned number);

/* Bytes of an element in a file; 0 for strings, whose size varies, and for
 * numbers that are no element type. */
size_t vv_dtype_file_size(varve_dtype dtype);

/* Turns `count` elements from the host's byte order to little-endian or back,
 * from `from` to `to` (which may be the same). A copy on little-endian hosts.
 * Not for strings. */
void vv_dtype_swap_copy(
    varve_dtype dtype, void *to, const void *from, uint64_t count);

/* The same, reversing bytes whatever the host: what vv_dtype_swap_copy does on
 * a big-endian one. */
void vv_dtype_reverse_copy(
    varve_dtype dtype, void *to, const void *from, uint64_t count);

#endif
