/* questions.h - what a program asks of a restoration: reports, findings,
 * assertions.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_QUESTIONS_H
#define VV_QUESTIONS_H

#include "restoration.h"

/* Makes a restoration ready to be reported on, which changes nothing more: what
 * the program no longer holds is let go of, and paths and patterns are
 * followed. */
varve_status vv_prepare_report(struct varve_restoration *r, varve_error *error);

/* VARVE_UNMATCHED where nothing of the file matches the program, unless that
 * has nothing yet that has to be restored. VARVE_NO_MEMORY. */
varve_status vv_restoration_demand_any(
    struct varve_restoration *r, varve_error *error);

/* How many values of the file the program has not taken, given up or expected
 * by now. VARVE_NO_MEMORY. */
varve_status vv_restoration_count_unused(
    struct varve_restoration *r, size_t *count, varve_error *error);

#endif
