/* item_copy.h - Copies the values of a snapshot: finds the bytes that have
 * changed, copies strided values, device memory and states, and copies large
 * values in parallel.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_ITEM_COPY_H
#define VV_ITEM_COPY_H

#include "snapshot.h"

/* --- Changed bytes -------------------------------------------------------- */

/* Finds the bytes that may differ between the program and a snapshot.
 *
 * A value is unchanged if it is at the address where it was last copied from or
 * to, and has not been written to since. All other values are copied
 * completely. */

/* Starts tracking from the next copy on. If memory runs out, nothing is
 * tracked. */
void vv_tracking_begin(struct varve_snapshot *snapshot);
void vv_tracking_end(struct varve_snapshot *snapshot);

/* Called when the values of the snapshot no longer come from the program. */
void vv_tracking_forget(struct varve_snapshot *snapshot);

/* --- Items ---------------------------------------------------------------- */

/* Returns true if the value of an item must be copied element by element or by
 * functions of the program. */
bool vv_item_needs_copy_in(const struct vv_item *item);

/* Copies a value out of device memory. If the snapshot already has a copy, the
 * value goes to a spare buffer. */
varve_status vv_item_fetch(
    struct vv_item *item, bool is_again, varve_error *error);

/* Takes the fetched value into the snapshot, or copies a strided one. */
void vv_item_take(struct vv_item *item);

/* Copies in all values of this kind, except random streams with `keeps_random`.
 * A failure restores the previous values. Returns VARVE_PARTIALLY_RESTORED if
 * that fails too. */
varve_status vv_items_put(
    struct varve_snapshot *snapshot, bool keeps_random, varve_error *error);

/* Check, before anything changes, that the states accept the bytes of the
 * snapshot; load these bytes; and sync the files that the copies refer to. */
varve_status vv_items_check_states(const struct varve_snapshot *snapshot,
    bool keeps_random, varve_error *error);
varve_status vv_items_put_states(const struct varve_snapshot *snapshot,
    bool keeps_random, varve_error *error);
varve_status vv_items_sync_states(
    const struct varve_snapshot *snapshot, varve_error *error);

/* --- Copying in parallel -------------------------------------------------- */

/* Copies the values of a snapshot in parallel, on all processors. */

struct vv_bulk {
    struct varve_snapshot *snapshot;
    bool is_restore;
    bool keeps_random; /* for a restore: skips random streams */
};

/* Copies every numeric value into the snapshot, or from it into the program.
 * Skips strings and states. Cannot fail and allocates nothing. */
void vv_bulk_copy(const struct vv_bulk *bulk);

#endif
