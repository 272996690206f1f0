/* pending.h - asking for and giving up values that wait; the calls are public
 * (varve/restoration.h).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PENDING_H
#define VV_PENDING_H

#include "restoration.h"

/* Whether a value waits for a home, the program's node not being there. */
bool vv_is_waiting(const struct varve_restoration *r, uint32_t value);

#endif
