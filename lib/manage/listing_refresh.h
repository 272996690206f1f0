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

/* Begins and ends a sequence of calls that use one open directory: a check of
 * the lock and a listing. In between, the first call that opens the directory
 * leaves it open. */
void vv_listing_hold(struct vv_listing *listing);
void vv_listing_let_go(struct vv_listing *listing);

/* Opens the directory, or returns the one that is held open. Close it with
 * vv_listing_close_directory, which keeps it open if it is held. */
varve_status vv_listing_open_directory(
    struct vv_listing *listing, int *directory, varve_error *error);
void vv_listing_close_directory(struct vv_listing *listing, int directory);

#endif
