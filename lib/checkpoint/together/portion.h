/* portion.h - which part of what all ranks need is this rank's to verify.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PORTION_H
#define VV_PORTION_H

#include <varve/comm.h>

#include "allocator.h"
#include "division.h"

/* Divides what all ranks of a machine need among them: they read by the same
 * way, so that what one of them has read well the others can have. On a machine
 * whose ranks need other things nothing is divided. */
varve_status vv_portion_find(const varve_comm *comm,
    const varve_allocator *allocator, struct vv_division *division,
    varve_error *error);

#endif
