/* manager_look.h - Lists the directory of a manager, or adds what it has just
 * saved, and decides which checkpoints to keep.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_MANAGER_LOOK_H
#define VV_MANAGER_LOOK_H

#include "listing.h"
#include "manager.h"

/* --- Sizes of data files -------------------------------------------------- */

/* Computes the sizes of the data files of incremental and collective
 * checkpoints, for the retention policy that counts bytes. */

/* Sets the additional size of each entry: its data files that no newer entry
 * has. The sum over the newest entries is therefore their total size. Reads the
 * indexes, from the newest entry on, until the total exceeds `most`. An entry
 * that cannot be read has size 0. Returns VARVE_NO_MEMORY without memory. */
varve_status vv_data_sizes_find(
    struct vv_listing *listing, uint64_t most, varve_error *error);

/* --- Entries that were just saved ----------------------------------------- */

/* Makes the entry of a checkpoint that this process has just saved, without
 * listing the directory or reading the file. */

/* Sets an entry from what a save writes. */
void vv_saved_entry_begin(struct vv_entry *entry,
    const struct vv_listing *listing, uint64_t number, uint64_t counter,
    bool is_pinned, const varve_metadata *metadata, size_t count);

/* Call when the file is in place. Sets the size and time of the file, and adds
 * the entry to the listing, in place of an older file of the same name. Returns
 * false if the directory must be listed instead. */
bool vv_saved_entry_add(struct vv_entry *entry, struct vv_listing *listing);

/* --- Listings ------------------------------------------------------------- */

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
