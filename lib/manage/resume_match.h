/* resume_match.h - Checks if the last resume was complete (all saved values
 * were used, and all variables of the program were restored), or if a run may
 * start without a checkpoint.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_RESUME_MATCH_H
#define VV_RESUME_MATCH_H

#include "manager.h"

/* --- Resumes -------------------------------------------------------------- */

/* All ranks must call vv_resume_match_require and vv_resume_match_weigh, which
 * return the same status on all ranks. */

/* Records that no checkpoint is restored. */
void vv_resume_match_clear(varve_manager *manager);

/* Records that the checkpoint of a number was restored, from a level or (0)
 * from the manager's own directory. */
void vv_resume_match_begin(
    varve_manager *manager, uint64_t number, size_t level);

/* With `strict`, returns VARVE_UNMATCHED if the resume is not complete. After
 * the resume was found complete, returns VARVE_OK. */
varve_status vv_resume_match_require(
    varve_manager *manager, varve_error *error);

/* Call before checkpoints are deleted. Determines if the resumed checkpoint has
 * a value, on any rank, that was neither used nor dropped. While it has, it is
 * kept, also by its level. */
varve_status vv_resume_match_weigh(varve_manager *manager, varve_error *error);

/* Marks the resumed checkpoint as kept in the decision about the own
 * directory. */
void vv_resume_match_keep(varve_manager *manager);

/* --- New runs ------------------------------------------------------------- */

/* Checks that a run may start from the beginning, because no checkpoint was
 * resumed. */

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
