/* late_value.h - Delivers a single small value without the cost of a transfer.
 * Late arrivals are mostly of this kind.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_LATE_VALUE_H
#define VV_LATE_VALUE_H

#include "delivery.h"

/* Returns true if a job delivers a small value, unconverted, directly into
 * memory. Other jobs need vv_transfer. */
bool vv_is_late_value(const struct vv_delivery *d, const struct vv_pair *job);

/* Reads and verifies the value and then changes the variable. A failure changes
 * nothing. */
varve_status vv_bring_late_value(
    struct vv_delivery *d, const struct vv_pair *job, varve_error *error);

#endif
