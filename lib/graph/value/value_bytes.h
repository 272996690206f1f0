/* value_bytes.h - the bytes of values, wherever they lie.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_VALUE_BYTES_H
#define VV_VALUE_BYTES_H

#include "node.h"

enum { VV_RANGE_SIZE = 1 << 20 }; /* of far memory, at once */

/* Copies whole elements of the value of a variable, from `offset` on: of any
 * but strings, wherever it lies. Several threads may copy at once what is not
 * far. VARVE_CALLBACK or VARVE_NO_MEMORY where a function of the program
 * fails; it may have copied some. */
varve_status vv_value_out(const varve_node *node, uint64_t offset, void *bytes,
    size_t size, varve_error *error);
varve_status vv_value_in(const varve_node *node, uint64_t offset,
    const void *bytes, size_t size, varve_error *error);

#endif
