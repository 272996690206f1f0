/* manager_broadcast.h - Broadcasts the listings of rank 0 to the other ranks of
 * a collective manager. Does nothing for a manager of one process, as in
 * manager_together.h.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_MANAGER_BROADCAST_H
#define VV_MANAGER_BROADCAST_H

#include "manager.h"

/* Sends the listing of the directory from rank 0 to all ranks. Returns VARVE_OK
 * if each rank passes VARVE_OK as `status`. */
varve_status vv_manager_broadcast(
    varve_manager *manager, varve_status status, varve_error *error);

/* Like vv_manager_broadcast, for the directories of the storage levels. */
varve_status vv_manager_broadcast_levels(
    varve_manager *manager, varve_status status, varve_error *error);

#endif
