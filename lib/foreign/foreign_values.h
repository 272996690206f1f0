/* foreign_values.h - Makes the values of a foreign checkpoint accessible
 * through a struct vv_opened, and computes their checksums.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_FOREIGN_VALUES_H
#define VV_FOREIGN_VALUES_H

#include <stdbool.h>
#include <stddef.h>

#include "foreign.h"
#include "place.h"

/* --- Checksums ------------------------------------------------------------ */

/* Computes and combines the checksums that other formats store for their
 * values. */

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

/* --- Values --------------------------------------------------------------- */

/* Its state is a struct vv_foreign, which `close` frees. */
extern const struct vv_backing vv_foreign_backing;

/* Prepares for reading and checking values. `parsed` must outlive `foreign`. */
varve_status vv_foreign_begin(struct vv_foreign *foreign,
    const struct vv_parsed_index *parsed, varve_error *error);

/* Frees `foreign` and everything it owns. Accepts one that is only partly
 * initialized. */
void vv_foreign_free(struct vv_foreign *foreign);

#endif
