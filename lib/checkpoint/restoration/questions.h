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

#endif
