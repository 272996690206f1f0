/* ordered_code.h - the keys of slices: numbers and strings so encoded that
 * their bytes sort as they do (tensorflow/core/lib/strings/ordered_code.cc).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_ORDERED_CODE_H
#define VV_ORDERED_CODE_H

#include <stdint.h>

#include "buffer.h"

/* Sets `key` to that of a slice: `rank` pairs of start and length, 0 and -1 for
 * a whole dimension. */
void vv_slice_key(struct vv_buffer *key, const char *name, size_t size,
    uint32_t rank, const int64_t *pairs);

#endif
