/* interval.c - Compares steps by multiples, and time by a monotonic clock.
 *
 * SPDX-License-Identifier: MIT
 */
#include "interval.h"

#include <inttypes.h>

#include "failure.h"
#include "retention.h"

varve_status vv_interval_check(const char *directory, const char *option,
    uint64_t value, varve_error *error)
{
    if (value <= INT64_MAX)
        return VARVE_OK;
    return vv_fail(error, VARVE_MISUSE,
        "%s: `%s` must be 0 to %" PRId64 ", found %" PRId64, directory, option,
        INT64_MAX, (int64_t)value);
}

static bool are_steps_over(const struct vv_interval *i, int64_t step)
{
    return step < i->last_step ||
           vv_stretch(step, i->steps) != vv_stretch(i->last_step, i->steps);
}

static bool is_time_over(
    const struct vv_interval *i, const struct vv_system *system)
{
    int64_t passed = system->uptime(system->state) - i->last_uptime;
    return passed >= 0 && (uint64_t)(passed / VV_SECOND) >= i->seconds;
}

bool vv_interval_is_over(
    const struct vv_interval *i, int64_t step, const struct vv_system *system)
{
    bool by_steps = i->steps > 0;
    bool by_time = i->seconds > 0;
    if ((!i->has_last && !by_steps) || (!by_steps && !by_time))
        return true;
    return (by_steps && are_steps_over(i, step)) ||
           (by_time && is_time_over(i, system));
}

void vv_interval_begin(
    struct vv_interval *i, int64_t step, const struct vv_system *system)
{
    i->has_last = true;
    i->last_step = step;
    i->last_uptime = system->uptime(system->state);
}
