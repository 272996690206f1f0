/* manager_look.h - Lists the directory of a manager and decides which
 * checkpoints to keep.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_MANAGER_LOOK_H
#define VV_MANAGER_LOOK_H

#include "manager.h"

/* Lists the directory and decides which checkpoints to keep. */
varve_status vv_manager_look(varve_manager *manager, varve_error *error);

/* Like vv_manager_look, during a save. If the lock is held, known files are not
 * examined. */
varve_status vv_manager_look_at_names(
    varve_manager *manager, varve_error *error);

/* Like vv_manager_look_at_names, when a checkpoint is in place. If its entry is
 * known, the directory is only listed if files are to be deleted: other
 * processes may have pinned some during the save. */
varve_status vv_manager_look_after(varve_manager *manager,
    const struct vv_manager_saving *saving, varve_error *error);

/* Decides which checkpoints to keep, given the newest intact one. In a
 * collective manager the policy of bytes counts data files, which rank 0
 * measures and broadcasts. */
varve_status vv_manager_decide(varve_manager *manager, varve_error *error);

/* Returns VARVE_NOT_FOUND if `keep_best` keeps none of the checkpoints that
 * were decided about: the name of the metric may be wrong, or the program
 * passes no metric. */
varve_status vv_manager_check_best(
    const varve_manager *manager, varve_error *error);

#endif
