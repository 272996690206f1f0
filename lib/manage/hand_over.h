/* hand_over.h - a failure on its way to the program.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_HAND_OVER_H
#define VV_HAND_OVER_H

#include <varve/error.h>

/* What a call returns to the program, which may want no message. */
static inline varve_status vv_hand_over(
    varve_status status, const varve_error *reason, varve_error *error)
{
    if (status && error)
        *error = *reason;
    return status;
}

#endif
