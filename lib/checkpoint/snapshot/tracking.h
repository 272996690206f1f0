/* tracking.h - which bytes may differ between the program and a snapshot.
 *
 * They are alike where a value lies as it lay when it was copied last, there or
 * back, and nothing was written to it since. Of everything else all is copied.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TRACKING_H
#define VV_TRACKING_H

#include "snapshot.h"

/* Follows what the program writes, from the next copy on. Without memory
 * nothing is followed. */
void vv_tracking_begin(struct varve_snapshot *snapshot);
void vv_tracking_end(struct varve_snapshot *snapshot);

/* Looks at what was written, before values are copied, there or back
 * (`is_restore`); the moment that the snapshot has when they are. */
uint64_t vv_tracking_look(struct varve_snapshot *snapshot, bool is_restore);

/* Whether only what was written to a value need be copied. */
bool vv_tracking_knows(
    const struct varve_snapshot *snapshot, const struct vv_item *item);

/* A value that was copied is alike now; one that was passed over may be
 * another. */
void vv_tracking_settle(struct vv_item *item, bool is_copied);

/* The snapshot has got other values than the program's. */
void vv_tracking_forget(struct varve_snapshot *snapshot);

#endif
