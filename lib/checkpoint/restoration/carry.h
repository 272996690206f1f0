/* carry.h - Carries the pending values of a restoration over into a save.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_CARRY_H
#define VV_CARRY_H

#include "carried.h"
#include "restoration.h"

/* Adds a node for each pending value, and the nodes that lead to it from nodes
 * of the program, with their names in the file. A node that cannot be added
 * because the program has another one there is a conflict. */
varve_status vv_restoration_carry(struct varve_restoration *r,
    struct vv_carried *carried, varve_error *error);

#endif
