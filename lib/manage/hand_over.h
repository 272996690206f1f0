/* hand_over.h - Passes an error from a manager to the program.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_HAND_OVER_H
#define VV_HAND_OVER_H

#include <varve/error.h>

/* Returns `status`, and copies `reason` to `error` unless `error` is NULL. */
static inline varve_status vv_hand_over(
    varve_status status, const varve_error *reason, varve_error *error)
{
    if (status && error)
        *error = *reason;
    return status;
}

#endif
