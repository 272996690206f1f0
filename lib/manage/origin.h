/* origin.h - what a manager may resume from: the checkpoints of its directory
 * and of its levels as one row, from the newest on.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_ORIGIN_H
#define VV_ORIGIN_H

#include "manager.h"

/* Zeroed, but for `levels`, it stands before the first. */
struct vv_origin {
    /* to fill in */
    size_t levels; /* how many are looked at besides the manager's directory */
    /* to read */
    struct vv_listing *listing; /* NULL: none */
    size_t level;               /* 0: the manager's own directory */
    size_t index;               /* in the listing */
};

/* Goes on to the next older one: by counter, of equal ones the fastest first.
 * False past the last, and then it stands before the first again. */
bool vv_origin_next(varve_manager *manager, struct vv_origin *origin);

struct vv_entry *vv_origin_entry(const struct vv_origin *origin);

/* Its path; valid until the next of its listing. VARVE_NO_MEMORY. */
varve_status vv_origin_path(
    const struct vv_origin *origin, const char **path, varve_error *error);

#endif
