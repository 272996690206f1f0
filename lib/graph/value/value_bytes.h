/* value_bytes.h - Copies the bytes of values, regardless of where they are
 * stored.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_VALUE_BYTES_H
#define VV_VALUE_BYTES_H

#include "node.h"

enum { VV_RANGE_SIZE = 1 << 20 }; /* bytes of device memory copied at once */

/* Copy complete elements of a variable from `offset` on, except strings.
 * Several threads may copy at the same time unless vv_is_far. Return
 * VARVE_CALLBACK or VARVE_NO_MEMORY if a function of the program fails, which
 * may have copied a part. */
varve_status vv_value_out(const varve_node *node, uint64_t offset, void *bytes,
    size_t size, varve_error *error);
varve_status vv_value_in(const varve_node *node, uint64_t offset,
    const void *bytes, size_t size, varve_error *error);

#endif
