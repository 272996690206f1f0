/* pending.h - Finds and drops pending values. The public functions are in
 * varve/restoration.h.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PENDING_H
#define VV_PENDING_H

#include "restoration.h"

/* Returns true if a value is pending. */
bool vv_is_waiting(const struct varve_restoration *r, uint32_t value);

/* Frees the tensors that varve_pending has returned, and what a drop needs. */
void vv_pending_free(struct varve_restoration *r);

#endif
