/* lineage.h - Records the ancestors of a manager's run in its checkpoints, so
 * that a resume skips checkpoints of unrelated runs.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_LINEAGE_H
#define VV_LINEAGE_H

#include "manager.h"
#include "manager_together.h"
#include "origin.h"

/* --- Lineages ------------------------------------------------------------- */

/* Begins a new run that was resumed from an entry by the manager's restoration.
 * If the program named the run and the entry belongs to it, the run continues
 * with the parent that the file records. */
void vv_manager_begin_run(
    varve_manager *manager, const struct vv_entry *parent);

/* Returns true if the manager's run certainly descends from an entry of its
 * directory, or has saved it. */
bool vv_manager_goes_on_from(
    const varve_manager *manager, const struct vv_entry *entry);

/* Call before a save. Returns VARVE_EXISTS before the first one if the listing
 * contains checkpoints of an earlier run, the manager has not resumed, and
 * `may_start_new_run` is not set: the next resume would not continue from
 * them. */
varve_status vv_manager_check_resumed(
    const varve_manager *manager, varve_error *error);

/* Returns true if the manager neither deletes nor replaces checkpoints of other
 * lineages: without a lock another program may use the directory, and a run
 * that was not resumed shares it with an earlier one. */
bool vv_manager_keeps_others(const varve_manager *manager);

/* Returns true if a save can replace the listed checkpoint of a number. */
bool vv_manager_may_replace(const varve_manager *manager, uint64_t number);

/* Returns a checkpoint of the manager's directory that could not be opened for
 * a temporary reason and can be the newest, or NULL. */
const struct vv_entry *vv_manager_own_unread(const varve_manager *manager);

/* Times of runs (vv_run_identity_time) in the manager's directory: of the
 * newest intact checkpoint, and of the youngest run. 0: unknown, or there is
 * none. */
struct vv_own_run {
    uint64_t newest;
    uint64_t youngest;
};
struct vv_own_run vv_manager_own_run(const varve_manager *manager);

/* Sets *is_foreign if a checkpoint of a level does not descend from the newest
 * one of the manager's directory, and lists it as skipped. Returns VARVE_EXISTS
 * if the lineage is not recorded, unless the program permits older checkpoints.
 * Returns VARVE_NO_MEMORY without memory. */
varve_status vv_manager_pass_foreign(varve_manager *manager,
    const struct vv_origin *origin, bool *is_foreign, varve_error *error);

/* --- Metadata ------------------------------------------------------------- */

/* Collects the metadata of a manager's checkpoint: that of the caller, and the
 * manager's own (step, time, metric, run, parent). */

struct vv_manager_metadata {
    /* own */
    varve_metadata *all; /* strings belong to the manager and the caller */
    size_t count, most;
};

/* Collects the metadata of `write`, of `options` and of the manager. Call
 * vv_manager_metadata_clear after the save has begun, in any case. */
varve_status vv_manager_metadata_collect(const varve_manager *manager,
    const struct vv_manager_order *order, const varve_write_options *write,
    const varve_manager_save_options *options,
    struct vv_manager_metadata *metadata, varve_error *error);

void vv_manager_metadata_clear(
    const varve_manager *manager, struct vv_manager_metadata *metadata);

#endif
