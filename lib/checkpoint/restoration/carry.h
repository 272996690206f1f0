/* carry.h - what waits in the file of a restoration is carried over by a save.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_CARRY_H
#define VV_CARRY_H

#include "carried.h"
#include "restoration.h"

/* Adds a node for each value that waits, with those that lead to it from nodes
 * that the program has, under the names that the file has for them. What cannot
 * be added because something of the program stands there is a conflict. */
varve_status vv_restoration_carry(struct varve_restoration *r,
    struct vv_carried *carried, varve_error *error);

#endif
