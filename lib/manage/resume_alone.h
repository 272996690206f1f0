/* resume_alone.h - a checkpoint that is verified as it is read, by one process.
 *
 * The newest is not read twice, first to know that it is good: where it is not,
 * an older one brings the same variables, and what the newest has changed by
 * then is changed again. That all older ones do is known from their indices
 * before; where one would not, all is verified first.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_RESUME_ALONE_H
#define VV_RESUME_ALONE_H

#include "manager.h"
#include "origin.h"

/* Whether it is the file that is to blame, so that an older one may do. */
bool vv_blames_file(varve_status status);

/* Restores an entry of a listing, all of which is verified: the restoration
 * is the manager's then. Where it fails as the file is damaged, variables may
 * hold new bytes, and `half_restored` says so. */
varve_status vv_resume_from(varve_manager *manager,
    const struct vv_origin *origin, bool *is_damaged, varve_error *error);

/* The status of a failure: VARVE_PARTIALLY_RESTORED where a damaged checkpoint
 * has left variables with new bytes, which the message names; else as it was.
 */
varve_status vv_tell_half_restored(
    const varve_manager *manager, varve_status status, varve_error *error);

#endif
