/* tracking.h - Finds the bytes that may differ between the program and a
 * snapshot.
 *
 * A value is unchanged if it is at the address where it was last copied from or
 * to, and has not been written to since. All other values are copied
 * completely.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TRACKING_H
#define VV_TRACKING_H

#include "snapshot.h"

/* Starts tracking from the next copy on. If memory runs out, nothing is
 * tracked. */
void vv_tracking_begin(struct varve_snapshot *snapshot);
void vv_tracking_end(struct varve_snapshot *snapshot);

/* Checks which pages were written, before values are copied out or in
 * (`is_restore`). Returns the moment of the snapshot after the copy. */
uint64_t vv_tracking_look(struct varve_snapshot *snapshot, bool is_restore);

/* Returns true if it is sufficient to copy the pages of a value that were
 * written. */
bool vv_tracking_knows(
    const struct varve_snapshot *snapshot, const struct vv_item *item);

/* Records that a value was copied and is equal now, or that it was skipped and
 * may differ. */
void vv_tracking_settle(struct vv_item *item, bool is_copied);

/* Called when the values of the snapshot no longer come from the program. */
void vv_tracking_forget(struct varve_snapshot *snapshot);

#endif
