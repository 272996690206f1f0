/* item_copy.h - a snapshot's copies of values that lie elsewhere: what is far
 * first, for its copies alone can fail; and those of states.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_ITEM_COPY_H
#define VV_ITEM_COPY_H

#include "snapshot.h"

/* Whether the value of an item has to be copied out and in. */
bool vv_item_needs_copy_in(const struct vv_item *item);

/* Copies out what is far: where the snapshot has a copy already, to a spare
 * one. */
varve_status vv_item_fetch(
    struct vv_item *item, bool is_again, varve_error *error);

/* Takes what was fetched, or what is strided. */
void vv_item_take(struct vv_item *item);

/* Copies in all that lie elsewhere, but for those that `keeps_random` leaves; a
 * failure puts the older values back. VARVE_PARTIALLY_RESTORED where that fails
 * too. */
varve_status vv_items_put(
    struct varve_snapshot *snapshot, bool keeps_random, varve_error *error);

/* Checks that the states can take what the snapshot has of them, before
 * anything changes; loads them; and brings to disk what the snapshot's copies
 * stand for. */
varve_status vv_items_check_states(const struct varve_snapshot *snapshot,
    bool keeps_random, varve_error *error);
varve_status vv_items_put_states(const struct varve_snapshot *snapshot,
    bool keeps_random, varve_error *error);
varve_status vv_items_sync_states(
    const struct varve_snapshot *snapshot, varve_error *error);

#endif
