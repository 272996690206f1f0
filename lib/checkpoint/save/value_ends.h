/* value_ends.h - what values have of pages that others have a part of too: the
 * machine tells nothing of those, so their bytes are known again by digests.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_VALUE_ENDS_H
#define VV_VALUE_ENDS_H

#include "buffer.h"

struct vv_value_ends {
    /* own */
    struct vv_buffer all; /* in the order in which they are asked for */
    size_t next;
};

void vv_value_ends_init(
    struct vv_value_ends *ends, const varve_allocator *allocator);
void vv_value_ends_clear(struct vv_value_ends *ends);

/* Nobody looked, so nothing is known of what was there meanwhile. */
void vv_value_ends_forget(struct vv_value_ends *ends);

/* Begins a look, in which each end is asked for once. What the last one did not
 * ask for is forgotten. */
void vv_value_ends_begin(struct vv_value_ends *ends);

/* The moment since which each look found these bytes as they are: `moment`,
 * which is now, where they are others, or were not asked for at this place of
 * the last look. */
uint32_t vv_value_ends_since(struct vv_value_ends *ends, const uint8_t *bytes,
    size_t size, uint32_t moment);

#endif
