/* resume.h - the newest checkpoint that is good.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_RESUME_H
#define VV_RESUME_H

#include "origin.h"

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
