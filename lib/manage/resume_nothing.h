/* resume_nothing.h - Checks that a run may start from the beginning, because no
 * checkpoint was resumed.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_RESUME_NOTHING_H
#define VV_RESUME_NOTHING_H

#include "manager.h"

/* A new run eventually deletes older checkpoints, so it must be certain that
 * there are none. `unseen` is the error of a level that could not be listed, or
 * VARVE_OK. Returns:
 *
 * - VARVE_IO if the ledger cannot be read, or names a checkpoint.
 * - VARVE_NOT_FOUND if `must_resume` or `read_only` is set.
 * - VARVE_CORRUPT if there are damaged checkpoints, unless `may_resume_older`
 *   is set.
 * - The error of the level, unless the directory proves that nothing was
 *   saved. */
varve_status vv_resume_check_nothing(
    varve_manager *manager, const varve_error *unseen, varve_error *error);

#endif
