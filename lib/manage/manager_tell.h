/* manager_tell.h - what rank 0 of a manager of many processes sees, the others
 * know. Of this process alone each does nothing, as in manager_together.h.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_MANAGER_TELL_H
#define VV_MANAGER_TELL_H

#include "manager.h"

/* All ranks know what rank 0 knows of the directory; and then whether all come
 * with VARVE_OK. */
varve_status vv_manager_tell(
    varve_manager *manager, varve_status status, varve_error *error);

/* All ranks know what rank 0 saw in the directories of the levels; and then the
 * same. */
varve_status vv_manager_tell_levels(
    varve_manager *manager, varve_status status, varve_error *error);

#endif
