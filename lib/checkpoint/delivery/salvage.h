/* salvage.h - Finds the intact values of a damaged file before they are
 * delivered, and excludes the others.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SALVAGE_H
#define VV_SALVAGE_H

#include "delivery.h"

/* Reads and verifies the values of the jobs, which must fit their nodes. Marks
 * damaged or unreadable values, records the reason and removes their jobs, so
 * that the rest can be transferred. Returns other failures, such as
 * VARVE_NO_MEMORY. */
varve_status vv_salvage(
    struct vv_delivery *d, struct vv_buffer *jobs, varve_error *error);

/* Returns true if a status means that the file is damaged or unreadable. */
bool vv_is_damage(varve_status status);

#endif
