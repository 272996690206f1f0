/* arrival.h - delivering the values that matching has found a home for.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_ARRIVAL_H
#define VV_ARRIVAL_H

#include "restoration.h"

/* Matches what is queued and delivers all that is due, as one transaction.
 * VARVE_MISMATCH names every value that does not fit its node; then, and after
 * any other failure, the values wait in `stuck`. */
varve_status vv_arrive(struct varve_restoration *r, varve_error *error);

/* Why all has to be looked at again, of a restoration whose memory ran out. */
varve_status vv_fail_run_out(
    const struct varve_restoration *r, varve_error *error);

#endif
