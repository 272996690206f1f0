/* arrival.h - Delivers the values whose nodes have been matched.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_ARRIVAL_H
#define VV_ARRIVAL_H

#include "restoration.h"

/* --- Verification --------------------------------------------------------- */

/* Reads and verifies all values of the file, or those that the due values do
 * not read completely. Changes no variable. Returns VARVE_OK if the matching
 * has run out of memory, which vv_arrive reports. */
varve_status vv_verify_ahead(
    struct varve_restoration *r, bool all, varve_error *error);

/* --- Delivery ------------------------------------------------------------- */

/* Matches all queued nodes and delivers all due values as one transaction.
 * Returns VARVE_MISMATCH with the name of every value that does not fit its
 * node. After any failure the values are kept in `stuck`. */
varve_status vv_arrive(struct varve_restoration *r, varve_error *error);

/* Returns the error that made the restoration run out of memory. A retry must
 * match everything again. */
varve_status vv_fail_run_out(
    const struct varve_restoration *r, varve_error *error);

#endif
