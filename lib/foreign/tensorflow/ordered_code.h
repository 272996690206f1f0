/* ordered_code.h - Encodes the keys of slices. The bytes of encoded numbers and
 * strings sort like the numbers and strings
 * (tensorflow/core/lib/strings/ordered_code.cc).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_ORDERED_CODE_H
#define VV_ORDERED_CODE_H

#include <stdint.h>

#include "buffer.h"

/* Sets `key` to the key of a slice with `rank` pairs of start and length. A
 * whole dimension has start 0 and length -1. */
void vv_slice_key(struct vv_buffer *key, const char *name, size_t size,
    uint32_t rank, const int64_t *pairs);

#endif
