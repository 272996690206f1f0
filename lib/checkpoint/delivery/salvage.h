/* salvage.h - what of a damaged file can be had: looking at values before they
 * are delivered, and leaving out those that are lost.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SALVAGE_H
#define VV_SALVAGE_H

#include "delivery.h"

/* Reads and verifies the values of the jobs, which fit their nodes. Those that
 * are damaged or cannot be read are given up, with why, and their jobs taken
 * away: what is left can be transferred. Other failures, as of memory, are
 * returned. */
varve_status vv_salvage(
    struct vv_delivery *d, struct vv_buffer *jobs, varve_error *error);

/* Whether the file is to blame for a failure, and not the lack of something
 * else. */
bool vv_is_damage(varve_status status);

#endif
