/* bulk.h - Copies the values of a snapshot in parallel, on all processors.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_BULK_H
#define VV_BULK_H

#include "snapshot.h"

struct vv_bulk {
    struct varve_snapshot *snapshot;
    bool is_restore;
    bool keeps_random; /* for a restore: skips random streams */
};

/* Copies every numeric value into the snapshot, or from it into the program.
 * Skips strings and states. Cannot fail and allocates nothing. */
void vv_bulk_copy(const struct vv_bulk *bulk);

#endif
