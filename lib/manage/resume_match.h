/* resume_match.h - whether the last resume was complete: everything of the
 * checkpoint was taken, and everything of the program was restored.
 *
 * vv_resume_match_demand and vv_resume_match_weigh are made by all ranks, and
 * return the same status everywhere.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_RESUME_MATCH_H
#define VV_RESUME_MATCH_H

#include "manager.h"

/* Nothing is restored. */
void vv_resume_match_clear(varve_manager *manager);

/* A checkpoint of this number was restored: of a level, or (0) of the manager's
 * own directory. */
void vv_resume_match_begin(
    varve_manager *manager, uint64_t number, size_t level);

/* With `strict`, until a resume was found complete: VARVE_UNMATCHED where it is
 * not. */
varve_status vv_resume_match_demand(varve_manager *manager, varve_error *error);

/* Before checkpoints are deleted: notes whether the one that was resumed from
 * still has a value that was neither taken nor given up, at any rank. It is
 * kept as long as that is so, also by its level. */
varve_status vv_resume_match_weigh(varve_manager *manager, varve_error *error);

/* Adds to what is decided about the own directory that this one stays. */
void vv_resume_match_keep(varve_manager *manager);

#endif
