/* bulk.h - the values of a snapshot copied on all processors.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_BULK_H
#define VV_BULK_H

#include "snapshot.h"

struct vv_bulk {
    struct varve_snapshot *snapshot;
    bool is_restore;
    bool keeps_random; /* of a restoration: random streams are passed over */
};

/* Copies every value of an ordinary type into the snapshot, or out of it into
 * the program. Strings and states are passed over. Cannot fail, allocates
 * nothing. */
void vv_bulk_copy(const struct vv_bulk *bulk);

#endif
