/* sum.h - Computes and combines the checksums that other formats store for
 * their values.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SUM_H
#define VV_SUM_H

#include <stdbool.h>
#include <stddef.h>

#include "place.h"

/* Returns the checksum of bytes, not masked. */
uint32_t vv_sum(enum vv_sum_kind kind, const void *bytes, size_t size);

/* Returns the checksum of the concatenation of bytes with checksum `a` and
 * `size` bytes with checksum `b`: a * x^(8 size) + b modulo the polynomial.
 * Both are reflected 32-bit CRCs. */
uint32_t vv_sum_combine(
    enum vv_sum_kind kind, uint32_t a, uint32_t b, uint64_t size);

/* Converts a stored checksum to the value that vv_sum returns: unmasks it. */
uint32_t vv_sum_stored(enum vv_sum_kind kind, uint32_t stored);

/* Returns "CRC-32C" or "CRC-32". */
const char *vv_sum_name(enum vv_sum_kind kind);

#endif
