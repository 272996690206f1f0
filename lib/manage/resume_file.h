/* resume_file.h - Verifies and restores one checkpoint of a manager, with one
 * process or with all ranks.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_RESUME_FILE_H
#define VV_RESUME_FILE_H

#include "manager.h"
#include "origin.h"

/* --- With several processes ----------------------------------------------- */

/* Verifies a checkpoint collectively before it is resumed. */

/* Each rank verifies a part and passes its `status`. Returns the same status on
 * all ranks. The manager must have a communicator. */
varve_status vv_manager_verify(varve_manager *manager, const char *path,
    varve_status status, varve_error *error);

/* --- With one process ----------------------------------------------------- */

/* Restores a checkpoint with one process, and verifies it as it is read.
 *
 * The newest checkpoint is not read a first time to verify it. If it is
 * damaged, an older one overwrites the variables that it has changed. The
 * indexes are compared first, to check that all older checkpoints restore the
 * same variables. If one does not, the file is verified before it is restored.
 */

/* Returns true if the status shows that the file is damaged, so that an older
 * one can be tried. */
bool vv_blames_file(varve_status status);

/* Restores an entry and verifies all of it. The manager then owns the
 * restoration. If the file is damaged, variables can contain new values;
 * `half_restored` then contains the error. */
varve_status vv_resume_from(varve_manager *manager,
    const struct vv_origin *origin, bool *is_damaged, varve_error *error);

/* Returns `status`, or VARVE_PARTIALLY_RESTORED with a message if a damaged
 * checkpoint has left variables with new values. */
varve_status vv_report_half_restored(
    const varve_manager *manager, varve_status status, varve_error *error);

#endif
