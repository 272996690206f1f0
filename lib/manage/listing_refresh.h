/* listing_refresh.h - Brings a listing up to date with its directory.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_LISTING_REFRESH_H
#define VV_LISTING_REFRESH_H

#include "listing.h"

/* Looks at the directory, until two looks agree about what is there. A file
 * that has the size and the time of one that is listed already is taken for it
 * and not opened. One that is listed already (or that the ledger has named) and
 * that the directory does not show is looked for by its name, as is the number
 * after the highest: a directory may be shown as it was a while ago. A
 * directory that is missing has nothing in it. On failure the listing is as it
 * was. */
varve_status vv_listing_refresh(struct vv_listing *listing, varve_error *error);

/* The same, where nobody else changes the checkpoints: the lock is held. One
 * listing is enough, as long as it shows all that are known. Names
 * that are listed already are not looked at, so that it takes as many calls of
 * the system with many checkpoints as with few. */
varve_status vv_listing_refresh_names(
    struct vv_listing *listing, varve_error *error);

#endif
