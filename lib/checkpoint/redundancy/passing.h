/* passing.h - Sends bytes from one rank to another, by the shift function of
 * the communicator or by collective operations.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PASSING_H
#define VV_PASSING_H

#include <varve/comm.h>
#include <varve/error.h>

#include "redundancy_group.h"

/* Performs a shift. Collective. If the communicator has no shift function, each
 * rank receives the messages of all ranks, and may run out of memory. */
varve_status vv_pass(const varve_comm *comm, const varve_allocator *allocator,
    const varve_shift *shift, varve_error *error);

/* Return the index of the next and of the previous member of a group. */
uint32_t vv_member_after(
    const struct vv_redundancy_group *group, uint32_t index);
uint32_t vv_member_before(
    const struct vv_redundancy_group *group, uint32_t index);

/* Gathers `size` bytes of each member of a group to `all` on each of its
 * members, in the order of their indices. The bytes of this rank must already
 * be there. Collective. */
varve_status vv_pass_around(const varve_comm *comm,
    const varve_allocator *allocator, const struct vv_redundancy_group *group,
    void *all, size_t size, varve_error *error);

#endif
