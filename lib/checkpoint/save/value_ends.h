/* value_ends.h - Detects changes of the partial pages at the ends of values by
 * digests.
 *
 * Other data shares these pages, so tracking writes by page cannot detect if
 * the value has changed.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_VALUE_ENDS_H
#define VV_VALUE_ENDS_H

#include "buffer.h"

struct vv_value_ends {
    /* own */
    struct vv_buffer all; /* in the order of the calls */
    size_t next;
};

void vv_value_ends_init(
    struct vv_value_ends *ends, const varve_allocator *allocator);
void vv_value_ends_clear(struct vv_value_ends *ends);

/* Removes all entries. Must be called if a save does not check them. */
void vv_value_ends_forget(struct vv_value_ends *ends);

/* Begins a pass, in which each end is checked once. Removes entries that the
 * last pass did not check. */
void vv_value_ends_begin(struct vv_value_ends *ends);

/* Returns the moment since which these bytes are unchanged. That is `moment`,
 * the current one, if they differ from those of the last pass or were not
 * checked at the same position of it. */
uint32_t vv_value_ends_since(struct vv_value_ends *ends, const uint8_t *bytes,
    size_t size, uint32_t moment);

#endif
