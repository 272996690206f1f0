/* manager_save.h - when a save is due, and the three steps of one: the
 * checkpoint, the deletions, the ledger.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_MANAGER_SAVE_H
#define VV_MANAGER_SAVE_H

#include "manager.h"

/* Carries out what is decided, if it may, and writes the ledger. What goes
 * wrong is the manager's warning. */
void vv_manager_tidy(varve_manager *manager, bool may_delete);

/* Brings back the space of layers that no checkpoint names any more. */
void vv_manager_prune_layers(varve_manager *manager);

/* Waits for a save in flight, if there is one, and does what follows it. */
void vv_manager_finish_pending_save(varve_manager *manager);

#endif
