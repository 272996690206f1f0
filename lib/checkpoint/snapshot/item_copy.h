/* item_copy.h - Copies strided values and device memory of a snapshot, and its
 * states. Device memory comes first, because only its copies can fail.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_ITEM_COPY_H
#define VV_ITEM_COPY_H

#include "snapshot.h"

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

#endif
