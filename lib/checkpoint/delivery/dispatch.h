/* dispatch.h - Delivers due values, and handles those that cannot be delivered.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_DISPATCH_H
#define VV_DISPATCH_H

#include "delivery.h"

/* --- Single values -------------------------------------------------------- */

/* Delivers a single small value without the cost of a transfer. Late arrivals
 * are mostly of this kind. */

/* Returns true if a job delivers a small value, unconverted, directly into
 * memory. Other jobs need vv_transfer. */
bool vv_is_late_value(const struct vv_delivery *d, const struct vv_pair *job);

/* Reads and verifies the value and then changes the variable. A failure changes
 * nothing. */
varve_status vv_bring_late_value(
    struct vv_delivery *d, const struct vv_pair *job, varve_error *error);

/* --- Due values ----------------------------------------------------------- */

/* Removes values that do not fit or are not ready from the due values, and
 * transfers the rest. Returns VARVE_MISMATCH with the name of every value that
 * does not fit its node. After any failure all of them are still due. */
varve_status vv_deliver(struct vv_delivery *d, varve_error *error);

/* Moves due values to `stuck` until a retry. If `is_open`, their nodes are
 * pending. */
void vv_delivery_park_failed(struct vv_delivery *d, bool is_open);

/* Fails with a message that lists all mismatches, one line for each. */
varve_status vv_fail_mismatched(struct vv_delivery *d, varve_error *error);

/* Moves the held states that can be loaded now to the jobs. */
void vv_delivery_release_ready_states(struct vv_delivery *d);

#endif
