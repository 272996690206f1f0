/* dispatch.h - from what is due to what is delivered, and the lists of what is
 * not.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_DISPATCH_H
#define VV_DISPATCH_H

#include "delivery.h"

/* Sets aside what does not fit and what is not ready, and transfers the rest of
 * what is due. VARVE_MISMATCH names every value that does not fit its node;
 * then, and after any other failure, all of it is still due. */
varve_status vv_deliver(struct vv_delivery *d, varve_error *error);

/* What is due is so no more until a retry. `is_open`: the nodes wait for it. */
void vv_delivery_park_failed(struct vv_delivery *d, bool is_open);

/* Lists what does not match: one line, then a line for each. */
varve_status vv_fail_mismatched(struct vv_delivery *d, varve_error *error);

/* Whether the states of held pairs can be loaded now; moves them to the
 * jobs. */
void vv_delivery_release_ready_states(struct vv_delivery *d);

#endif
