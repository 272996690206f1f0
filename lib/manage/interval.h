/* interval.h - Decides when an action is due again, after a number of steps or
 * an amount of time.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_INTERVAL_H
#define VV_INTERVAL_H

#include <varve/error.h>

#include <stdbool.h>
#include <stdint.h>

#include "system.h"

#define VV_SECOND INT64_C(1000000000)

struct vv_interval {
    uint64_t steps;   /* at each multiple of it, or at the next step */
    uint64_t seconds; /* or after this time; both 0: always due */
    bool has_last;    /* the action was done before */
    int64_t last_step;
    int64_t last_uptime; /* nanoseconds */
};

/* Fails if an option is larger than INT64_MAX: the program has set it to a
 * negative number. */
varve_status vv_interval_check(const char *directory, const char *option,
    uint64_t value, varve_error *error);

/* Returns true if the action is due at a step. If the step is lower than the
 * last one, or if there is no last one, steps count from 0, and an interval
 * with only `seconds` is due. */
bool vv_interval_is_over(const struct vv_interval *interval, int64_t step,
    const struct vv_system *system);

/* Records that the action was done at a step, now. */
void vv_interval_begin(
    struct vv_interval *interval, int64_t step, const struct vv_system *system);

#endif
