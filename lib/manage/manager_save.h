/* manager_save.h - Saves a checkpoint when it is due, deletes old ones and
 * writes the ledger.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_MANAGER_SAVE_H
#define VV_MANAGER_SAVE_H

#include "manager.h"

/* Deletes the checkpoints that are not kept, if `may_delete`, and writes the
 * ledger. An error becomes the manager's warning. */
void vv_manager_tidy(varve_manager *manager, bool may_delete);

/* Deletes data files that no checkpoint references. */
void vv_manager_prune_layers(varve_manager *manager);

/* Waits for an asynchronous save, if there is one, and performs the steps that
 * follow a save. */
void vv_manager_finish_pending_save(varve_manager *manager);

/* Makes `taken_over` the failure that the next save of the graph returns, also
 * after the manager was freed. For a manager of one process, or one that ends:
 * other ranks do not get the failure. */
void vv_manager_keep_takeover(varve_manager *manager);

#endif
