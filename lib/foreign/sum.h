/* sum.h - the sums that other formats keep of their values, of whole ones and
 * of pieces that are put together.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SUM_H
#define VV_SUM_H

#include <stdbool.h>
#include <stddef.h>

#include "place.h"

/* The sum of bytes, not masked. */
uint32_t vv_sum(enum vv_sum_kind kind, const void *bytes, size_t size);

/* The sum of bytes with the sum `a` followed by `size` bytes with the sum `b`:
 * a * x^(8 size) + b modulo the polynomial (both are CRCs of 32 reflected
 * bits). */
uint32_t vv_sum_combine(
    enum vv_sum_kind kind, uint32_t a, uint32_t b, uint64_t size);

/* What is stored for a sum, as a sum: unmasked. */
uint32_t vv_sum_stored(enum vv_sum_kind kind, uint32_t stored);

/* "CRC-32C" or "CRC-32". */
const char *vv_sum_name(enum vv_sum_kind kind);

#endif
