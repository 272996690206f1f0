/* resume_match.h - Checks if the last resume was complete: all saved values
 * were used, and all variables of the program were restored.
 *
 * All ranks must call vv_resume_match_require and vv_resume_match_weigh, which
 * return the same status on all ranks.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_RESUME_MATCH_H
#define VV_RESUME_MATCH_H

#include "manager.h"

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

#endif
