/* bool_bytes.h - Finds bytes that are not valid C bools.
 *
 * A program that loads such a byte as a bool has undefined behavior.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_BOOL_BYTES_H
#define VV_BOOL_BYTES_H

#include <stddef.h>

/* Returns the offset of the first byte that is neither 0 nor 1, `size` if there
 * is none. */
size_t vv_bool_bytes_find(const void *bytes, size_t size);

#endif
