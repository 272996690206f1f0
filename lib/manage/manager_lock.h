/* manager_lock.h - one manager of a prefix at a time: a lock on a file of its
 * directory, `.PREFIX.lock`.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_MANAGER_LOCK_H
#define VV_MANAGER_LOCK_H

#include "listing.h"

/* Closing the file ends it. */
struct vv_manager_lock {
    /* to fill in */
    int file; /* that keeps others off; -1: not yet */
    /* own */
    bool is_taken;
};

/* Keeps other managers of the listing's prefix off its directory, which is made
 * if it is missing, durably unless `no_sync`. Taken again where that was
 * removed meanwhile, and made anew. VARVE_EXISTS where another manager was
 * first. */
varve_status vv_manager_lock_take(struct vv_manager_lock *lock,
    struct vv_listing *listing, bool no_sync, varve_error *error);

#endif
