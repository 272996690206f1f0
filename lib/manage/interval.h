/* interval.h - when something is due again: so many steps, or so much time,
 * after it was done last.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_INTERVAL_H
#define VV_INTERVAL_H

#include <stdbool.h>
#include <stdint.h>

#include "system.h"

#define VV_SECOND INT64_C(1000000000)

struct vv_interval {
    uint64_t steps;   /* at each multiple, or at the first step after it */
    uint64_t seconds; /* or so much later; both 0: always */
    bool has_last;    /* it was done before */
    int64_t last_step;
    int64_t last_uptime; /* nanoseconds */
};

/* Whether it is due at a step, now. A step that goes backwards belongs to
 * another future than the last one; where there was none, steps count from 0,
 * and with `seconds` alone it is due. */
bool vv_interval_is_over(const struct vv_interval *interval, int64_t step,
    const struct vv_system *system);

/* It is done. */
void vv_interval_begin(
    struct vv_interval *interval, int64_t step, const struct vv_system *system);

#endif
