/* late_value.h - a small value that comes by itself, as late ones do: without
 * what a transfer has for many and for large ones.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_LATE_VALUE_H
#define VV_LATE_VALUE_H

#include "delivery.h"

/* Whether a job brings a small value, as it is, to memory where it is put at
 * once. The others are for vv_transfer. */
bool vv_is_late_value(const struct vv_delivery *d, const struct vv_pair *job);

/* Reads and verifies such a value, and then changes the variable; nothing has
 * changed after a failure. */
varve_status vv_bring_late_value(
    struct vv_delivery *d, const struct vv_pair *job, varve_error *error);

#endif
