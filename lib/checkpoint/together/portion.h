/* portion.h - Chooses the part of the replicated data that this rank verifies.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PORTION_H
#define VV_PORTION_H

#include <varve/comm.h>

#include "allocator.h"
#include "division.h"

/* Divides the data that all ranks of a node need among them. They read through
 * the same file system, so data that one rank has verified is valid for the
 * others. If the ranks of a node need different data, nothing is divided.
 * Collective. */
varve_status vv_portion_find(const varve_comm *comm,
    const varve_allocator *allocator, struct vv_division *division,
    varve_error *error);

#endif
