/* questions.h - Makes reports, findings and assertions of a restoration.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_QUESTIONS_H
#define VV_QUESTIONS_H

#include "restoration.h"

/* Prepares a restoration for a report: unbinds nodes that the program has
 * removed, and evaluates paths and patterns. Changes nothing else. */
varve_status vv_prepare_report(struct varve_restoration *r, varve_error *error);

/* Returns VARVE_UNMATCHED if no value of the file matches the program, unless
 * the program has nothing yet that must be restored. May return
 * VARVE_NO_MEMORY. */
varve_status vv_restoration_require_any(
    struct varve_restoration *r, varve_error *error);

/* Sets *count to the number of values of the file that are neither restored nor
 * dropped nor expected to be unused. May return VARVE_NO_MEMORY. */
varve_status vv_restoration_count_unused(
    struct varve_restoration *r, size_t *count, varve_error *error);

/* Returns VARVE_UNMATCHED if a resume applied a rename although the checkpoint
 * also has the path in the program: an earlier resume may have applied it. */
varve_status vv_restoration_check_renames(
    const struct varve_restoration *r, varve_error *error);

#endif
