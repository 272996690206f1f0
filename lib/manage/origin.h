/* origin.h - Iterates over the checkpoints that a manager can resume, in its
 * directory and at its levels, newest first.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_ORIGIN_H
#define VV_ORIGIN_H

#include "manager.h"

/* An iterator. With all fields but `levels` zeroed, it is before the first
 * checkpoint. */
struct vv_origin {
    /* to fill in */
    size_t levels; /* the number of levels to include */
    /* to read */
    struct vv_listing *listing; /* NULL: none */
    size_t level;               /* 0: the manager's own directory */
    size_t index;               /* index in the listing */
};

/* Moves to the next older checkpoint by save counter. Of equal ones, the
 * fastest level is first. Returns false after the last one, and is then before
 * the first again. */
bool vv_origin_next(varve_manager *manager, struct vv_origin *origin);

struct vv_entry *vv_origin_entry(const struct vv_origin *origin);

/* Sets *path to the path of the checkpoint, which is valid until the next path
 * of its listing is made. Returns VARVE_NO_MEMORY without memory. */
varve_status vv_origin_path(
    const struct vv_origin *origin, const char **path, varve_error *error);

#endif
