/* listing_refresh.h - Updates a listing from its directory.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_LISTING_REFRESH_H
#define VV_LISTING_REFRESH_H

#include "listing.h"

/* Lists the directory until two listings agree.
 *
 * - A file with the size and time of its entry is not opened.
 * - A file that is listed or in the ledger, but not shown by the directory, is
 *   searched for by its name. So is the number after the highest. A directory
 *   can be shown in an earlier state.
 * - A missing directory is empty.
 *
 * On failure the listing is unchanged. */
varve_status vv_listing_refresh(struct vv_listing *listing, varve_error *error);

/* Like vv_listing_refresh, while the lock is held, so that no other process
 * changes the checkpoints. One listing is sufficient if it shows all known
 * files. Known files are not examined, so the number of system calls does not
 * depend on the number of checkpoints. */
varve_status vv_listing_refresh_names(
    struct vv_listing *listing, varve_error *error);

#endif
