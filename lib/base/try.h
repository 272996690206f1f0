/* try.h - Returns early if a call fails.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TRY_H
#define VV_TRY_H

/* Returns the status of a call from this function unless it is VARVE_OK. Use it
 * only if nothing must be released. */
#define VV_TRY(call)                                                           \
    do {                                                                       \
        varve_status vv_try_status = (call);                                   \
        if (vv_try_status)                                                     \
            return vv_try_status;                                              \
    } while (0)

#endif
