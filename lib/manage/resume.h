/* resume.h - the newest checkpoint that is good.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_RESUME_H
#define VV_RESUME_H

#include "interval.h"
#include "origin.h"

/* What cannot be read is tried again: so many times after the first, after a
 * pause that doubles each time. */
enum { VV_MOST_READS = 5 };
#define VV_FIRST_PAUSE (VV_SECOND / 100)

/* It is good: no more is damaged, and the manager knows that of one of its own
 * directory. */
void vv_note_good_origin(
    varve_manager *manager, const struct vv_origin *origin);

/* A checkpoint is passed over for a reason, which is named. VARVE_NO_MEMORY. */
varve_status vv_pass_over(
    varve_manager *manager, const varve_error *reason, varve_error *error);

/* Whether a file is good, by this process. */
varve_status vv_verify_alone(
    varve_manager *manager, const char *path, varve_error *error);

#endif
