/* lineage.h - Records which run a manager's run descends from, and passes over
 * checkpoints of other lineages in a resume.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_LINEAGE_H
#define VV_LINEAGE_H

#include "manager.h"
#include "origin.h"

/* Begins another run, which was resumed from an entry by the manager's
 * restoration. A run that the program has named goes on where the entry is its
 * own, with the parent that the file records. */
void vv_manager_begin_run(
    varve_manager *manager, const struct vv_entry *parent);

/* Returns whether it is certain that the manager's run goes on from an entry of
 * its directory, or has saved it. */
bool vv_manager_goes_on_from(
    const varve_manager *manager, const struct vv_entry *entry);

/* Returns whether a save may replace the checkpoint of a number, as it was
 * listed. Without a lock only one that the manager's run goes on from: another
 * may be that of another program. */
bool vv_manager_may_replace(const varve_manager *manager, uint64_t number);

/* A checkpoint of the manager's directory that could not be opened when it was
 * listed, for a reason that may pass, and may be the newest; NULL: there is
 * none. */
const struct vv_entry *vv_manager_own_unread(const varve_manager *manager);

/* Times of runs, as of vv_run_identity_time: of the newest of the manager's
 * directory that is not damaged, and of the youngest run that has saved there.
 * 0: unknown, or there is none. */
struct vv_own_run {
    uint64_t newest;
    uint64_t youngest;
};
struct vv_own_run vv_manager_own_run(const varve_manager *manager);

/* Sets *is_foreign for a checkpoint of a level that does not descend from the
 * newest of the manager's directory, and lists it as passed over. VARVE_EXISTS
 * where that is not recorded, unless the program allows older ones.
 * VARVE_NO_MEMORY. */
varve_status vv_manager_pass_foreign(varve_manager *manager,
    const struct vv_origin *origin, bool *is_foreign, varve_error *error);

#endif
